#include "backend/aclnn/recipes.h"

#include <algorithm>

namespace atc::aclnn {

const Recipe* FindRecipe(std::string_view name) {
  static const std::vector<Recipe>* all = [] {
    auto* recipes = new std::vector<Recipe>;
    for (const auto family : {ActivationRecipes, BinaryRecipes, ConvolutionRecipes, ForeachRecipes, GradientRecipes,
                              IndexRecipes, LossRecipes, MatrixRecipes, MovementRecipes, NormRecipes, OrderRecipes,
                              PoolingRecipes, QuantRecipes, RecurrentRecipes, ReductionRecipes, ResamplingRecipes,
                              UnaryRecipes}) {
      for (const Recipe& recipe : family()) recipes->push_back(recipe);
    }
    std::sort(recipes->begin(), recipes->end(), [](const Recipe& a, const Recipe& b) { return a.name < b.name; });
    return recipes;
  }();
  const auto found = std::lower_bound(all->begin(), all->end(), name,
                                      [](const Recipe& recipe, std::string_view wanted) { return recipe.name < wanted; });
  return found != all->end() && found->name == name ? &*found : nullptr;
}

}  // namespace atc::aclnn
