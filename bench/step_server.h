/*
 * A program that runs named steps on request, so that two programs can take turns: reads lines `STEP [ARGUMENT]` from
 * standard input and answers each with one line.
 */
#ifndef TRANSOM_BENCH_STEP_SERVER_H_
#define TRANSOM_BENCH_STEP_SERVER_H_

#include <malloc.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>

namespace ir_bench {

/*! \brief Takes the argument, returns the answer; an exception ends the program with its text. */
using Step = std::function<std::string(const std::string& argument)>;

inline double ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/*! \brief Step that calls `work` and answers "WALL CPU", both in seconds. What `work` returns is freed after the clock
 * has stopped. Warm: a call before it, not timed, leaves the heap as this step needs it. */
template <class Work>
Step Timed(Work work) {
  return [work](const std::string&) {
    { [[maybe_unused]] auto warm = work(); }
    double wall = ReadClock(CLOCK_MONOTONIC);
    double cpu = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
    [[maybe_unused]] auto result = work();
    cpu = ReadClock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = ReadClock(CLOCK_MONOTONIC) - wall;
    return std::to_string(wall) + " " + std::to_string(cpu);
  };
}

/*! \brief The most memory that the process has had, in MB, as the system counts it. */
inline std::string PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::to_string(static_cast<double>(usage.ru_maxrss) * 1024e-6);
}

/*! \brief Keeps memory that is freed, so that no step pays for the system's first touch of a page. */
inline void KeepHeap() {
  constexpr int kMost = 1 << 30;
  mallopt(M_TRIM_THRESHOLD, kMost);
  mallopt(M_MMAP_THRESHOLD, kMost);
}

/*! \brief Serves until the end of input. Returns the program's exit status: 0, or 2 after an error. */
inline int ServeSteps(const char* program, const std::map<std::string, Step>& steps) {
  KeepHeap();
  std::string line;
  while (std::getline(std::cin, line)) {
    size_t space = line.find(' ');
    std::string argument = space == std::string::npos ? "" : line.substr(space + 1);
    auto step = steps.find(line.substr(0, space));
    if (step == steps.end()) {
      std::fprintf(stderr, "%s: unknown step \"%s\"\n", program, line.c_str());
      return 2;
    }
    try {
      std::cout << step->second(argument) << std::endl;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s: %s\n", program, line.c_str(), error.what());
      return 2;
    }
  }
  return 0;
}

/*!
 * \brief main of a program `PROGRAM NUM_OBJECTS SEED`: makes a Side of the two numbers and serves its steps. Returns the
 * exit status: 0, or 2 after an error.
 */
template <class Side>
int ServeSide(const char* program, int argc, char** argv, std::map<std::string, Step> (*steps_of)(Side&)) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s NUM_OBJECTS SEED\n", program);
    return 2;
  }
  try {
    Side side(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
    return ServeSteps(program, steps_of(side));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace ir_bench
#endif  // TRANSOM_BENCH_STEP_SERVER_H_
