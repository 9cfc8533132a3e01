/* look - what tp-look is under its other names: each a main() of its own */
#ifndef LOOK_H
#define LOOK_H

int look_exports(int argc, char *argv[]);	/* tp-inventory */
int look_manifest(int argc, char *argv[]);	/* tp-manifest */

#endif
