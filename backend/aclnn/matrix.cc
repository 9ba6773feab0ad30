// Matrix products.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// 0 keep, 1 allow less precision, 2 fp16, 3 HF32, 4 float sums: products here are exact enough for all of them.
void CheckCubeMathType(Builder& b) {
  const int64_t type = b.Int("cubeMathType");
  if (type < 0 || type > 4) b.Refuse("argument cubeMathType is 0 to 4, not " + std::to_string(type));
}

// As NumPy's matmul: a vector is a row on the left and a column on the right, and its dim of 1 goes again.
Value MatMul(Builder& b, Value left, Value right) {
  b.Common(left, right);
  if (ClassOf(b.TypeOf(left)) == TypeClass::kBool || b.Rank(left) == 0 || b.Rank(right) == 0) {
    b.Refuse("a matrix product takes numbers of 1 dim or more");
  }
  const bool row = b.Rank(left) == 1;
  const bool column = b.Rank(right) == 1;
  if (row) left = b.Reshape(left, {1, b.ShapeOf(left)[0]});
  if (column) right = b.Reshape(right, {b.ShapeOf(right)[0], 1});
  const Value product = b.Op("BatchMatMulV2", {left, right});
  if (!row && !column) return product;
  Ints dims = b.ShapeOf(product).dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return b.Reshape(product, dims);
}

void CheckRank(Builder& b, std::string_view name, size_t rank) {
  if (b.ViewOf(name).shape.rank() != rank) {
    b.Refuse("argument " + std::string(name) + " has shape " + ToString(b.ViewOf(name).shape) + "; " + std::to_string(rank) + " dims are wanted");
  }
}

// The detail: how many dims both operands must have, 0 for any.
void Product(Builder& b) {
  CheckCubeMathType(b);
  if (const size_t rank = *b.detail() - '0'; rank > 0) {
    CheckRank(b, b.ArgName(0), rank);
    CheckRank(b, b.ArgName(1), rank);
  }
  b.Out(MatMul(b, b.Wide(b.ArgName(0)), b.Wide(b.ArgName(1))));
}

void MatrixVector(Builder& b) {
  CheckCubeMathType(b);
  CheckRank(b, "self", 2);
  CheckRank(b, "vec", 1);
  b.Out(MatMul(b, b.Wide("self"), b.Wide("vec")));
}

void Dot(Builder& b) {
  CheckRank(b, "self", 1);
  CheckRank(b, "tensor", 1);
  b.Out(MatMul(b, b.Wide("self"), b.Wide("tensor")));
}

Value Scale(Builder& b, Value x, std::string_view name) {
  return b.Number(name) == 1 ? x : b.Op("Mul", {x, b.ScalarValue(name, b.TypeOf(x))});
}

// beta * self + product; with beta 0, self does not count, whatever it holds.
void AddTo(Builder& b, Value product) {
  if (b.Number("beta") == 0) return b.Out(b.Expand(product, b.ViewOf(b.OutputName()).shape));
  Value self = b.Wide(b.ArgName(0));
  b.Common(self, product);
  b.Out(b.Op("Add", {Scale(b, self, "beta"), product}));
}

// beta * self + alpha * (first @ second).
void AddProduct(Builder& b) {
  CheckCubeMathType(b);
  const bool batch = std::string_view(b.detail()) == "3";
  const std::string_view first = batch ? "batch1" : b.ArgName(1);
  const std::string_view second = batch ? "batch2" : b.ArgName(2);
  CheckRank(b, first, *b.detail() - '0');
  const Value product = Scale(b, MatMul(b, b.Wide(first), b.Wide(second)), "alpha");
  AddTo(b, product);
}

// beta * self + alpha * the sum of the products of the batches.
void AddSumOfProducts(Builder& b) {
  CheckCubeMathType(b);
  CheckRank(b, "batch1", 3);
  CheckRank(b, "batch2", 3);
  const Value products = MatMul(b, b.Wide("batch1"), b.Wide("batch2"));
  const Value sum = b.Op("ReduceSum", {products, b.ConstInts({0})}, {{"keep_dims", false}});
  AddTo(b, Scale(b, sum, "alpha"));
}

void AddMatrixVector(Builder& b) {
  CheckCubeMathType(b);
  CheckRank(b, "mat", 2);
  CheckRank(b, "vec", 1);
  AddTo(b, Scale(b, MatMul(b, b.Wide("mat"), b.Wide("vec")), "alpha"));
}

Value Outer(Builder& b, std::string_view first, std::string_view second) {
  CheckRank(b, first, 1);
  CheckRank(b, second, 1);
  Value column = b.Wide(first);
  Value row = b.Wide(second);
  b.Common(column, row);
  return b.Op("Mul", {b.Reshape(column, {b.ShapeOf(column)[0], 1}), b.Reshape(row, {1, b.ShapeOf(row)[0]})});
}

void Ger(Builder& b) { b.Out(Outer(b, "self", "vec2")); }

// beta * self + alpha * the outer product; factors that are absent are 1.
void AddOuter(Builder& b) {
  Value product = Outer(b, "vec1", "vec2");
  if (b.Has("alphaOptional")) product = Scale(b, product, "alphaOptional");
  Value self = b.Wide(b.ArgName(0));
  b.Common(self, product);
  if (b.Has("betaOptional")) {
    if (b.Number("betaOptional") == 0) return b.Out(b.Expand(product, b.ViewOf(b.OutputName()).shape));
    self = Scale(b, self, "betaOptional");
  }
  b.Out(b.Op("Add", {self, product}));
}

// alpha * op(A) op(B) + beta * C.
void Gemm(Builder& b) {
  CheckCubeMathType(b);
  CheckRank(b, "A", 2);
  CheckRank(b, "B", 2);
  Value left = b.Wide("A");
  Value right = b.Wide("B");
  b.Common(left, right);
  Value product = b.Op("MatMulV2", {left, right}, {{"transpose_x1", b.Int("transA") != 0}, {"transpose_x2", b.Int("transB") != 0}});
  const DataType dtype = b.TypeOf(product);
  if (b.Real("alpha") != 1) product = b.Op("Mul", {product, b.Number(b.Real("alpha"), dtype)});
  if (b.Real("beta") == 0) return b.Out(product);
  Value c = b.Cast(b.Wide("C"), dtype);
  if (b.Real("beta") != 1) c = b.Op("Mul", {c, b.Number(b.Real("beta"), dtype)});
  b.Out(b.Op("Add", {product, c}));
}

}  // namespace

std::vector<Recipe> MatrixRecipes() {
  return {
      {"Addbmm", AddSumOfProducts},
      {"Addmm", AddProduct, "2"},
      {"Addmv", AddMatrixVector},
      {"Addr", AddOuter},
      {"Baddbmm", AddProduct, "3"},
      {"BatchMatMul", Product, "3"},
      {"Dot", Dot},
      {"Gemm", Gemm},
      {"Ger", Ger},
      {"InplaceAddbmm", AddSumOfProducts},
      {"InplaceAddmm", AddProduct, "2"},
      {"InplaceAddr", AddOuter},
      {"InplaceBaddbmm", AddProduct, "3"},
      {"Matmul", Product, "0"},
      {"Mm", Product, "2"},
      {"Mv", MatrixVector},
  };
}

}  // namespace atc::aclnn
