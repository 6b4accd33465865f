/*
 * The release of Transom that these headers belong to. The build reads the number from here.
 */
#ifndef TRANSOM_VERSION_H_
#define TRANSOM_VERSION_H_

#define TRANSOM_VERSION_MAJOR 0
#define TRANSOM_VERSION_MINOR 1
#define TRANSOM_VERSION_PATCH 0
#define TRANSOM_VERSION "0.1.0"

#endif  // TRANSOM_VERSION_H_
