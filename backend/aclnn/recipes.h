// Which graph each operator call stands for: a table of recipes, filled by family, one file each.
#pragma once

#include <string_view>
#include <vector>

#include "backend/aclnn/builder.h"

namespace atc::aclnn {

using Build = void (*)(Builder&);

struct Recipe {
  std::string_view name;         // without "aclnn"; the in-place form of "Add" is "InplaceAdd"
  Build build = nullptr;
  const char* detail = nullptr;  // the builder's detail()
};

// Null where there is none.
const Recipe* FindRecipe(std::string_view name);

// The families, one a file named so.
std::vector<Recipe> ActivationRecipes();
std::vector<Recipe> BinaryRecipes();
std::vector<Recipe> ConvolutionRecipes();
std::vector<Recipe> ForeachRecipes();
std::vector<Recipe> GradientRecipes();
std::vector<Recipe> IndexRecipes();
std::vector<Recipe> LossRecipes();
std::vector<Recipe> MatrixRecipes();
std::vector<Recipe> MovementRecipes();
std::vector<Recipe> NormRecipes();
std::vector<Recipe> OrderRecipes();
std::vector<Recipe> PoolingRecipes();
std::vector<Recipe> QuantRecipes();
std::vector<Recipe> RecurrentRecipes();
std::vector<Recipe> ReductionRecipes();
std::vector<Recipe> ResamplingRecipes();
std::vector<Recipe> UnaryRecipes();

}  // namespace atc::aclnn
