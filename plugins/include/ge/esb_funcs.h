// Building graphs operator by operator, for C: the functions behind es_graph_builder.h. Codes are 0 for success.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/c_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct EsCTensorHolder;
struct EsCGraphBuilder;
struct EsCTensor;  // a ge::Tensor
struct EsCGraph;   // a ge::Graph
struct EsCNode;    // a ge::GNode
#ifndef __cplusplus
typedef struct EsCTensorHolder EsCTensorHolder;
typedef struct EsCGraphBuilder EsCGraphBuilder;
typedef struct EsCTensor EsCTensor;
typedef struct EsCGraph EsCGraph;
typedef struct EsCNode EsCNode;
#endif

EsCGraphBuilder* EsCreateGraphBuilder(const char* name);
void EsDestroyGraphBuilder(EsCGraphBuilder* graph);
// Belongs to the caller.
EsCGraph* EsBuildGraphAndReset(EsCGraphBuilder* graph);
uint32_t EsSetGraphOutput(EsCTensorHolder* tensor, int64_t output_index);

// Holders belong to the builder. Null on failure.
EsCTensorHolder* EsCreateGraphInputWithDetails(EsCGraphBuilder* graph, int64_t index, const char* name,
                                               const char* type, C_DataType data_type, C_Format format,
                                               const int64_t* shape, int64_t dim_num);
EsCTensorHolder* EsCreateGraphInput(EsCGraphBuilder* graph, int64_t index);
EsCTensorHolder* EsCreateVariable(EsCGraphBuilder* graph, int32_t index, const char* name);

EsCTensorHolder* EsCreateConstInt64(EsCGraphBuilder* graph, const int64_t* value, const int64_t* dims, int64_t dim_num);
EsCTensorHolder* EsCreateConstInt32(EsCGraphBuilder* graph, const int32_t* value, const int64_t* dims, int64_t dim_num);
EsCTensorHolder* EsCreateConstUInt64(EsCGraphBuilder* graph, const uint64_t* value, const int64_t* dims,
                                     int64_t dim_num);
EsCTensorHolder* EsCreateConstUInt32(EsCGraphBuilder* graph, const uint32_t* value, const int64_t* dims,
                                     int64_t dim_num);
EsCTensorHolder* EsCreateConstFloat(EsCGraphBuilder* graph, const float* value, const int64_t* dims, int64_t dim_num);
EsCTensorHolder* EsCreateVectorInt64(EsCGraphBuilder* graph, const int64_t* value, int64_t dim);
EsCTensorHolder* EsCreateVectorInt32(EsCGraphBuilder* graph, const int32_t* value, int64_t dim);
EsCTensorHolder* EsCreateVectorUInt64(EsCGraphBuilder* graph, const uint64_t* value, int64_t dim);
EsCTensorHolder* EsCreateVectorUInt32(EsCGraphBuilder* graph, const uint32_t* value, int64_t dim);
EsCTensorHolder* EsCreateVectorFloat(EsCGraphBuilder* graph, const float* value, int64_t dim);
EsCTensorHolder* EsCreateScalarInt64(EsCGraphBuilder* graph, int64_t value);
EsCTensorHolder* EsCreateScalarInt32(EsCGraphBuilder* graph, int32_t value);
EsCTensorHolder* EsCreateScalarUInt64(EsCGraphBuilder* graph, uint64_t value);
EsCTensorHolder* EsCreateScalarUInt32(EsCGraphBuilder* graph, uint32_t value);
EsCTensorHolder* EsCreateScalarFloat(EsCGraphBuilder* graph, float value);

uint32_t EsSetDataType(EsCTensorHolder* tensor, C_DataType data_type);
uint32_t EsSetFormat(EsCTensorHolder* tensor, C_Format format);
uint32_t EsSetShape(EsCTensorHolder* tensor, const int64_t* shape, int64_t dim_num);
// Names of the dims; those that are numbers become dims.
uint32_t EsSetOriginSymbolShape(EsCTensorHolder* tensor, const char* const* shape, int64_t dim_num);
EsCGraphBuilder* EsGetOwnerBuilder(EsCTensorHolder* tensor);
EsCNode* EsGetProducer(EsCTensorHolder* tensor);
uint32_t EsAddControlEdge(EsCTensorHolder* to, EsCTensorHolder** from, int64_t count);

// Belong to the caller.
EsCTensor* EsCreateEsCTensor(const void* data, const int64_t* dim, int64_t dim_num, C_DataType data_type,
                             C_Format format);
EsCTensor* EsCreateEsCTensorFromFile(const char* path, const int64_t* dim, int64_t dim_num, C_DataType data_type,
                                     C_Format format);

uint32_t EsSetInt64AttrForGraph(EsCGraphBuilder* graph, const char* name, int64_t value);
uint32_t EsSetStringAttrForGraph(EsCGraphBuilder* graph, const char* name, const char* value);
uint32_t EsSetBoolAttrForGraph(EsCGraphBuilder* graph, const char* name, bool value);
uint32_t EsSetInt64AttrForTensor(EsCTensorHolder* tensor, const char* name, int64_t value);
uint32_t EsSetStringAttrForTensor(EsCTensorHolder* tensor, const char* name, const char* value);
uint32_t EsSetBoolAttrForTensor(EsCTensorHolder* tensor, const char* name, bool value);
uint32_t EsSetInt64AttrForNode(EsCTensorHolder* tensor, const char* name, int64_t value);
uint32_t EsSetStringAttrForNode(EsCTensorHolder* tensor, const char* name, const char* value);
uint32_t EsSetBoolAttrForNode(EsCTensorHolder* tensor, const char* name, bool value);

#ifdef __cplusplus
}
#endif
