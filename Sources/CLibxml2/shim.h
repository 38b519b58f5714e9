#ifndef CAIRN_CLIBXML2_SHIM_H
#define CAIRN_CLIBXML2_SHIM_H

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlsave.h>
#include <libxml/xpath.h>
#include <string.h>

/* Reads a document from memory: nothing else is ever opened, no DTD is loaded, no entity is substituted, and libxml2 writes nothing to standard error. Its own limits (10 MB a
   text) are lifted, because tests print more; the caller has bounded the document. `message` receives the first error without its line ending. Through functions of C, because
   newer releases (2.12, 2.14) made the structures that errors come in constant. */
static inline xmlDocPtr cairn_xml_read(const char *bytes, int size, char *message, unsigned long capacity, int *line) {
    xmlParserCtxtPtr context = xmlNewParserCtxt();
    if (!context) return 0;
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE | XML_PARSE_BIG_LINES;
    xmlDocPtr document = xmlCtxtReadMemory(context, bytes, size, 0, 0, options);
    if (!document && capacity > 0) {
        const xmlError *error = xmlCtxtGetLastError(context);
        message[0] = 0;
        if (error && error->message) {
            strncpy(message, error->message, capacity - 1);
            message[capacity - 1] = 0;
            message[strcspn(message, "\r\n")] = 0;
            *line = error->line;
        }
    }
    xmlFreeParserCtxt(context);
    return document;
}

/* `xmlFree` is a variable. */
static inline void cairn_xml_free(void *memory) { xmlFree(memory); }
#endif
