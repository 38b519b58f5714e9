Cgoogle/example/example:12/SP1A.210812.016/7679548:user/release-keys0""2023-05-06 07:08:09.123456789+0200(ãM0ıM8‹OBu:r:untrusted_app:s0Jcom.example.shopRSIGSEGV"SEGV_MAPERR@z
null pointer dereference‚áıMÛıMcounter
r0
r1
r2
r3

ipäşÔ¨

sp¤‘£ü

lrßëÓ¨

pc‚ìÑ¨"‚,‚ìôÒ° Âé•ş2a/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm/libshop.soB(cf1e396b72ca522986480df9fc53e73a84bd6314"Á,ÁìôÒ° Âé•ş2a/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm/libshop.soB(cf1e396b72ca522986480df9fc53e73a84bd6314"«é,éìôÒ° Âé•ş"	shop_open(2a/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm/libshop.soB(cf1e396b72ca522986480df9fc53e73a84bd6314"ÄÄˆÄ„ıÓ° Âé•ş" art_quick_generic_jni_trampoline(”2%/apex/com.android.art/lib64/libart.soB e24a1818231cfb1649cb83a5d2869598"dÄÅ‚Ä…÷Ó° Âé•ş"com.example.shop.Counter.open(t2./data/app/com.example.shop/oat/arm64/base.odex"*ÖˆÖÈõÒ° Âé•ş2<anonymous:7b0a5d2000>"°Ç-°‡¢Ó° Âé•ş"__pthread_start(void*)(Ğ2./apex/com.android.runtime/lib64/bionic/libc.soB 01331f74b0bb2cb958bdc15282b8ec7b 