#include "plugins/pyasc/core/attributes.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>

#include "compiler/ir/nearest_names.h"

namespace py = pybind11;

namespace atc::python {
namespace {

constexpr std::string_view kKinds[] = {"int",
                                       "float",
                                       "bool",
                                       "str",
                                       "dtype",
                                       "tensor",
                                       "list of int",
                                       "list of float",
                                       "list of bool",
                                       "list of str",
                                       "list of lists of int"};
static_assert(std::size(kKinds) == std::variant_size_v<AttrValue>);

bool IsInt(py::handle value) { return PyIndex_Check(value.ptr()) != 0 && !py::isinstance<py::bool_>(value); }
bool IsFloat(py::handle value) { return py::isinstance<py::float_>(value) || IsInt(value); }
bool IsList(py::handle value) { return py::isinstance<py::sequence>(value) && !py::isinstance<py::str>(value); }

int64_t Int(py::handle value) {
  return py::cast<int64_t>(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())));
}

// Nothing where the value is of another kind.
template <typename T, typename IsKind, typename Make>
std::optional<std::vector<T>> List(py::handle value, IsKind is_kind, Make make) {
  if (!IsList(value)) return std::nullopt;
  std::vector<T> list;
  for (const py::handle element : value) {
    if (!is_kind(element)) return std::nullopt;
    list.push_back(make(element));
  }
  return list;
}

using Made = std::optional<AttrValue>;

template <typename T>
Made Wrap(std::optional<std::vector<T>> list) {
  return list ? Made(AttrValue(std::move(*list))) : std::nullopt;
}

Made MakeInts(py::handle v) { return Wrap(List<int64_t>(v, IsInt, Int)); }
Made MakeFloats(py::handle v) {
  return Wrap(List<float>(v, IsFloat, [](py::handle e) { return py::cast<float>(e); }));
}
Made MakeBools(py::handle v) {
  return Wrap(List<bool>(v, py::isinstance<py::bool_>, [](py::handle e) { return py::cast<bool>(e); }));
}
Made MakeStrings(py::handle v) {
  return Wrap(List<std::string>(v, py::isinstance<py::str>, [](py::handle e) { return py::cast<std::string>(e); }));
}

// (dtype number, shape, bytes)
Made MakeTensor(py::handle v) {
  if (!py::isinstance<py::tuple>(v) || py::len(v) != 3) return std::nullopt;
  const auto parts = py::reinterpret_borrow<py::tuple>(v);
  if (!IsInt(parts[0]) || !py::isinstance<py::bytes>(parts[2])) return std::nullopt;
  const std::optional<std::vector<int64_t>> dims = List<int64_t>(parts[1], IsInt, Int);
  if (!dims) return std::nullopt;
  const std::string_view bytes = py::reinterpret_borrow<py::bytes>(parts[2]);
  Tensor tensor = Tensor::Allocate(static_cast<DataType>(Int(parts[0])), Shape(*dims));
  if (tensor.NumBytes() != bytes.size()) return std::nullopt;
  std::memcpy(tensor.MutableData<char>(), bytes.data(), bytes.size());
  return AttrValue(std::move(tensor));
}

// By the place of the kind in AttrValue.
constexpr Made (*kMakers[])(py::handle) = {
    [](py::handle v) -> Made { return IsInt(v) || py::isinstance<py::bool_>(v) ? Made(Int(v)) : std::nullopt; },
    [](py::handle v) -> Made { return IsFloat(v) ? Made(py::cast<float>(v)) : std::nullopt; },
    [](py::handle v) -> Made {
      if (py::isinstance<py::bool_>(v)) return AttrValue(py::cast<bool>(v));
      return IsInt(v) && (Int(v) == 0 || Int(v) == 1) ? Made(AttrValue(Int(v) == 1)) : std::nullopt;
    },
    [](py::handle v) -> Made { return py::isinstance<py::str>(v) ? Made(py::cast<std::string>(v)) : std::nullopt; },
    [](py::handle v) -> Made { return IsInt(v) ? Made(static_cast<DataType>(Int(v))) : std::nullopt; },
    MakeTensor,
    MakeInts,
    MakeFloats,
    MakeBools,
    MakeStrings,
    [](py::handle v) -> Made {
      return Wrap(List<std::vector<int64_t>>(
          v, [](py::handle e) { return List<int64_t>(e, IsInt, Int).has_value(); },
          [](py::handle e) { return *List<int64_t>(e, IsInt, Int); }));
    },
};
static_assert(std::size(kMakers) == std::variant_size_v<AttrValue>);

// Where the definition names no default: the first kind that fits, lists of numbers by their elements.
constexpr size_t kByValue[] = {2, 0, 1, 3, 5, 6, 7, 8, 9, 10};

}  // namespace

std::string KindName(const AttrValue& value) { return std::string(kKinds[value.index()]); }

AttrValue ToAttribute(const OpDef& def, const std::string& name, py::handle value, const std::string& kind) {
  const AttrDef* declared = def.FindAttr(Name(name));
  if (declared == nullptr) {
    std::string known;
    for (const AttrDef& attr : def.attrs) known += (known.empty() ? "" : ", ") + attr.name.str();
    throw py::attribute_error(
        fmt::format("{} has no attribute '{}'; it has: {}", def.type.str(), name, known.empty() ? "none" : known));
  }
  const auto* known = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (!declared->required || known != std::end(kKinds)) {
    const size_t wanted = declared->required ? static_cast<size_t>(known - kKinds) : declared->fallback.index();
    if (Made made = kMakers[wanted](value)) return *std::move(made);
    throw py::type_error(fmt::format("{}: the attribute '{}' must be {}, not {}", def.type.str(), name, kKinds[wanted],
                                     py::cast<std::string>(py::repr(value))));
  }
  for (const size_t by_value : kByValue) {
    if (by_value == 2 && !py::isinstance<py::bool_>(value)) continue;
    if (Made made = kMakers[by_value](value)) return *std::move(made);
  }
  throw py::type_error(
      fmt::format("{}: the attribute '{}' must be a number, a text, a tensor or a list of numbers or "
                  "texts, not {}",
                  def.type.str(), name, py::cast<std::string>(py::repr(value))));
}

py::object FromAttribute(const AttrValue& value) {
  return std::visit(
      [](const auto& v) -> py::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, DataType>) {
          return py::int_(static_cast<int>(v));
        } else if constexpr (std::is_same_v<T, Tensor>) {
          return py::make_tuple(static_cast<int>(v.dtype()), std::vector<int64_t>(v.shape().dims()),
                                v.NumBytes() > 0 && v.dtype() != DT_STRING && v.dtype() != DT_VARIANT
                                    ? py::bytes(v.Materialized().template Data<char>(), v.NumBytes())
                                    : py::bytes());
        } else {
          return py::cast(v);
        }
      },
      value);
}

}  // namespace atc::python
