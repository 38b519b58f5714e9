#ifndef CAIRN_CFILTERPROBE_H
#define CAIRN_CFILTERPROBE_H

/* Makes one call to the system in a process of its own that was sealed before (cairn_contain_seal), and tells how that went: 0 if the call was made, the error's number if
   it was refused, 128 plus the signal's number if the process was ended for it, 254 if there are no filters, 255 for a name that is none of the calls. */
int cairn_probe(const char *call, int opens_files);

#endif
