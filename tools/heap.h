#ifndef TRANSOM_TOOLS_HEAP_H_
#define TRANSOM_TOOLS_HEAP_H_

namespace transom::tool {

// Lets the first 64 MB of the heap grow in one step and in huge pages. A graph is many small objects, made once:
// without this the kernel's page faults are a fifth of the time of a load. Changes nothing where the allocator is not
// glibc's. Call before other threads start.
void PrepareHeap();

}  // namespace transom::tool

#endif  // TRANSOM_TOOLS_HEAP_H_
