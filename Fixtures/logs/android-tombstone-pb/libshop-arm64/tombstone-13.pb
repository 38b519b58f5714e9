Cgoogle/example/example:13/TE1A.220922.012/9302419:user/release-keys0""2023-05-06 07:08:09.123456789+0200(ãM0ıM8‹OBu:r:untrusted_app:s0Jcom.example.shopRSIGSEGV"SEGV_MAPERR@zø
null pointer dereferenceÛØ(òM2¡ì®ìîøÒ° Âé•ş2c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cd2®À¯ÀïøÒ° Âé•ş"	shop_open($2c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cd‚ÒãMÌãMxample.shop
x0
x1
x2
x3
lr¸ëøÒ°
sp Âé•ş
pcŒîøÒ°
pst€ €€"u¸é(¸©Ó° Âé•ş"__epoll_pwait(2./apex/com.android.runtime/lib64/bionic/libc.soB 01331f74b0bb2cb958bdc15282b8ec7b"sì›ìÛøÒ° Âé•ş"android::Looper::pollInner(int)(2/system/lib64/libutils.soB 8aa4e7f9e5d10bb0f3d5bd7c29c3b1de‚òıMìıMcounter
x0
x1
x2
x3
lr¸ëøÒ°
sp Âé•ş
pcŒîøÒ°
pst€ €€"¡Œ®ŒîøÒ° Âé•ş2c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cd"¡ì®ìîøÒ° Âé•ş2c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cd"®À¯ÀïøÒ° Âé•ş"	shop_open($2c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cd"ÄÄˆÄ„ıÓ° Âé•ş" art_quick_generic_jni_trampoline(”2%/apex/com.android.art/lib64/libart.soB e24a1818231cfb1649cb83a5d2869598"dÄÅ‚Ä…÷Ó° Âé•ş"com.example.shop.Counter.open(t2./data/app/com.example.shop/oat/arm64/base.odex"*ÖˆÖÈõÒ° Âé•ş2<anonymous:7b0a5d2000>"°Ç-°‡¢Ó° Âé•ş"__pthread_start(void*)(Ğ2./apex/com.android.runtime/lib64/bionic/libc.soB 01331f74b0bb2cb958bdc15282b8ec7bŠ£€ÀôÒ°€€õÒ° :c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cdH€€Š¨€àøÒ°€€ùÒ°€  0:c/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/arm64/libshop.soB(b8d4805eb85072adc63839f3e9055e11751026cdH€€Š&€€€€²€ €€² (:[anon:libc_malloc] 