BEGIN TRANSACTION;
CREATE TABLE archives (path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, rules TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE crash_groups (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, leader INTEGER NOT NULL REFERENCES signatures (id) DEFERRABLE INITIALLY DEFERRED, reports INTEGER NOT NULL, logs INTEGER NOT NULL, first INTEGER, last INTEGER,
    example INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "crash_groups" VALUES('04b94ec90f6756b8','assertion failed in ferry-clang | libharbour.so.1+0x112b | harbour_berth',2867469168592557120,1,1,NULL,NULL,24987879833910554);
INSERT INTO "crash_groups" VALUES('1de992fec5bc1df7','crash in tide-static+0x988d | tide-static+0x10ac0 | tide-static+0x203db',5598307235201057779,2,2,NULL,NULL,4381714123139379000);
INSERT INTO "crash_groups" VALUES('393f515a89ee2d5c','assertion failed in ferry-nopie | libharbour.so.1+0x112b | harbour_berth',6150874585398897557,1,1,NULL,NULL,7628377311767570411);
INSERT INTO "crash_groups" VALUES('39f055cd1bbb392e','SIGTRAP in -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:] | -[CrashExampleAppDelegate applicationDidFinishLaunching:]',7957442159262638259,8,8,1114934400000000000,1644603730774000000,6843159438408400237);
INSERT INTO "crash_groups" VALUES('3d341d6e4075a709','SIGSEGV in __init__.py:string_at | tank.py:leak | tank.py:main',3727021112174268247,2,2,NULL,NULL,2953197854835341205);
INSERT INTO "crash_groups" VALUES('492bb62edddacbcb','KeyError in tank.py:drain | tank.py:fill | tank.py:main',967021792484718791,1,1,NULL,NULL,2152641073961484637);
INSERT INTO "crash_groups" VALUES('4b581411394b8610','crash in exception | -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:]',1390815055377514506,1,1,NULL,NULL,6999804369370721029);
INSERT INTO "crash_groups" VALUES('600108375541328f','crash in ferry-nopie | libharbour.so.1+0x112b | harbour_berth',4402377113939537655,1,1,NULL,NULL,3630559200947596945);
INSERT INTO "crash_groups" VALUES('7bf1df2f4902fee1','crash in tide+0x1da6 | tide+0x1c81 | tide+0x1b7b',7072151025601201462,2,2,NULL,NULL,5115999718137923648);
INSERT INTO "crash_groups" VALUES('80f5c1b230739df7','assertion failed in ferry-pie | libharbour.so.1+0x112b | harbour_berth',5322002872835873615,1,1,NULL,NULL,5893854507335076181);
INSERT INTO "crash_groups" VALUES('d5057e65a42a3705','crash in ferry-clang | libharbour.so.1+0x112b | harbour_berth',8464643837989216104,1,1,NULL,NULL,6645051881501842260);
INSERT INTO "crash_groups" VALUES('e28785b64144fb75','crash in ferry-pie | libharbour.so.1+0x112b | harbour_berth',8342104171641870371,1,1,NULL,NULL,2968401466528969330);
CREATE TABLE files (path TEXT PRIMARY KEY, log INTEGER NOT NULL REFERENCES logs (id), size INTEGER NOT NULL, modified INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-bad-access/bad-access.crash',3336815311982541536,2810,1796009248445418673);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-bad-access/expected.tsv',3930957083381959204,663,1796009248445453795);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-exception/exception.crash',597594175649867585,4558,1796009248445519222);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-exception/expected.tsv',7709976005596263635,1078,1796009248445559171);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/11.crash',8757122120178811593,2119,1796009248445621043);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/2.crash',7409361895916448432,1808,1796009248445657858);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/4.crash',2027178652561030108,1803,1796009248445688614);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/6-html.crash',54513654869262326,2086,1796009248445720161);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/6-mailed.crash',1686233617867813976,2062,1796009248445931104);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/9.crash',1924808244449241957,2118,1796009248445973417);
INSERT INTO "files" VALUES('crashes/apple-crash/CrashExample-versions/expected.tsv',1318235263530753307,729,1796009248446011233);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-clang-assert/assert.txt',2596254227301124347,924,1796009248466980689);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-clang-assert/expected.tsv',2601429157263755436,783,1796009248467421894);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-clang/backtrace.txt',8569118212368352725,470,1796009248488195690);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-clang/expected.tsv',2614532076351863988,628,1796009248488650185);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-nopie-assert/assert.txt',6136286844968711890,816,1796009248489518455);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-nopie-assert/expected.tsv',3751252298596650914,791,1796009248489941533);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-nopie/backtrace.txt',2787598727249191304,402,1796009248490774410);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-nopie/expected.tsv',6122385295598787005,637,1796009248491192972);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-pie-assert/assert.txt',1333232147270997282,879,1796009248508186863);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-pie-assert/expected.tsv',4649500741417356178,811,1796009248508636190);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-pie/backtrace.txt',5937947188362659418,457,1796009248509509237);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-pie/expected.tsv',759544198677059942,657,1796009248509938434);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-static-assert/assert.txt',1587497749231115705,245,1796009248510778512);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-static-assert/expected-static.tsv',4868376188547141211,1088,1796009248511197645);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-static/backtrace.txt',1180557329328709118,99,1796009248524114701);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/ferry-static/expected-static.tsv',7189355820683735536,721,1796009248524567173);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide-static/before.txt',44912779933190561,1265,1796009248525449022);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide-static/behind.txt',3417520384385274518,1265,1796009248525880023);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide-static/expected-before.tsv',6568229234377504087,833,1796009248526302710);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide-static/expected-behind.tsv',2261266825740235563,833,1796009248526718248);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide/before.txt',6012799652341970654,3281,1796009248536011625);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide/behind.txt',4005065152661101742,3281,1796009248540130078);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide/expected-before.tsv',9113718452564664314,569,1796009248540557563);
INSERT INTO "files" VALUES('crashes/glibc-backtrace/tide/expected-behind.tsv',2656542016260101314,569,1796009248540985369);
INSERT INTO "files" VALUES('crashes/python-trace/PythonCrash-chain/trace.txt',3878849389383046188,1120,1796009248452011624);
INSERT INTO "files" VALUES('crashes/python-trace/PythonCrash-fault/trace.txt',2123205475742604478,587,1796009248456563987);
INSERT INTO "files" VALUES('crashes/python-trace/c-stack/trace.txt',5069433622156150448,840,1796009248457419878);
CREATE TABLE former_groups (id TEXT PRIMARY KEY, crash_group TEXT NOT NULL REFERENCES crash_groups (id) DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID;
CREATE TABLE frames (
    stack INTEGER NOT NULL REFERENCES stacks (id), number INTEGER NOT NULL, kind TEXT NOT NULL, image INTEGER REFERENCES images (id), offset INTEGER, address INTEGER, printed TEXT,
    reason TEXT, PRIMARY KEY (stack, number)) WITHOUT ROWID;
INSERT INTO "frames" VALUES(450055204083691138,0,'return-address',NULL,NULL,NULL,'leak',NULL);
INSERT INTO "frames" VALUES(450055204083691138,1,'return-address',NULL,NULL,NULL,'<module>',NULL);
INSERT INTO "frames" VALUES(1641010758586191236,0,'program-counter',9008330151574421985,466412,NULL,'___TERMINATING_DUE_TO_UNCAUGHT_EXCEPTION___','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(1641010758586191236,1,'return-address',2621984437443295616,8763,NULL,'objc_exception_throw','no symbol file for libobjc.A.dylib');
INSERT INTO "frames" VALUES(1641010758586191236,2,'return-address',9008330151574421985,496170,NULL,'-[NSObject doesNotRecognizeSelector:]','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(1641010758586191236,3,'return-address',9008330151574421985,489164,NULL,'___forwarding___','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(1641010758586191236,4,'return-address',9008330151574421985,489650,NULL,'_CF_forwarding_prep_0','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(1641010758586191236,5,'return-address',144690318121976089,2709,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(1641010758586191236,6,'return-address',144690318121976089,2561,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(1641010758586191236,7,'return-address',144690318121976089,2494,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(1641010758586191236,8,'return-address',2098685740165456905,35002,NULL,'-[NSApplication finishLaunching]','no symbol file for AppKit');
INSERT INTO "frames" VALUES(1641010758586191236,9,'return-address',144690318121976089,2285,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(1641010758586191236,10,'return-address',2098685740165456905,33326,NULL,'-[NSApplication run]','no symbol file for AppKit');
INSERT INTO "frames" VALUES(1700939581030723535,0,'return-address',302451531078940211,7091,NULL,NULL,'no symbol file for tide');
INSERT INTO "frames" VALUES(1700939581030723535,1,'return-address',6829283576016419488,245840,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,2,'return-address',6829283576016419488,569068,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,3,'return-address',6829283576016419488,245682,NULL,'gsignal','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,4,'return-address',6829283576016419488,156786,NULL,'abort','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,5,'return-address',302451531078940211,7590,NULL,NULL,'no symbol file for tide');
INSERT INTO "frames" VALUES(1700939581030723535,6,'return-address',302451531078940211,7297,NULL,NULL,'no symbol file for tide');
INSERT INTO "frames" VALUES(1700939581030723535,7,'return-address',302451531078940211,7035,NULL,NULL,'no symbol file for tide');
INSERT INTO "frames" VALUES(1700939581030723535,8,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,9,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./tide, which is not there');
INSERT INTO "frames" VALUES(1700939581030723535,10,'return-address',302451531078940211,6753,NULL,NULL,'no symbol file for tide');
INSERT INTO "frames" VALUES(2002247571939192422,0,'return-address',NULL,NULL,NULL,'run',NULL);
INSERT INTO "frames" VALUES(2002247571939192422,1,'return-address',NULL,NULL,NULL,'_bootstrap_inner',NULL);
INSERT INTO "frames" VALUES(2002247571939192422,2,'return-address',NULL,NULL,NULL,'_bootstrap',NULL);
INSERT INTO "frames" VALUES(2922678845740349232,0,'return-address',NULL,NULL,NULL,'drain',NULL);
INSERT INTO "frames" VALUES(2922678845740349232,1,'omitted 6',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(2922678845740349232,2,'return-address',NULL,NULL,NULL,'fill',NULL);
INSERT INTO "frames" VALUES(2922678845740349232,3,'return-address',NULL,NULL,NULL,'fill',NULL);
INSERT INTO "frames" VALUES(2922678845740349232,4,'return-address',NULL,NULL,NULL,'fill',NULL);
INSERT INTO "frames" VALUES(2922678845740349232,5,'return-address',NULL,NULL,NULL,'main',NULL);
INSERT INTO "frames" VALUES(3086638576008917747,0,'return-address',NULL,NULL,4200412,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,1,'return-address',NULL,NULL,4230032,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,2,'return-address',NULL,NULL,4275867,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,3,'return-address',NULL,NULL,4229922,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,4,'return-address',NULL,NULL,4198901,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,5,'return-address',NULL,NULL,4198680,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,6,'return-address',NULL,NULL,4211250,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,7,'return-address',NULL,NULL,4200914,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,8,'return-address',NULL,NULL,4200971,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,9,'return-address',NULL,NULL,4201041,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,10,'return-address',NULL,NULL,4200629,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,11,'return-address',NULL,NULL,4199919,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,12,'return-address',NULL,NULL,4201860,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,13,'return-address',NULL,NULL,4207744,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3086638576008917747,14,'return-address',NULL,NULL,4200065,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(3324453974821713380,0,'return-address',NULL,NULL,6615563976,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,1,'return-address',NULL,NULL,6611910356,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,2,'return-address',NULL,NULL,6616411068,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,3,'return-address',NULL,NULL,6615618900,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,4,'return-address',NULL,NULL,6615616960,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,5,'return-address',NULL,NULL,4337552020,'-[CrashExampleAppDelegate performTransition]','no symbol file for CrashExampleAppDelegate.m');
INSERT INTO "frames" VALUES(3324453974821713380,6,'return-address',NULL,NULL,4337551848,'-[CrashExampleAppDelegate showDetail:]','no symbol file for CrashExampleAppDelegate.m');
INSERT INTO "frames" VALUES(3324453974821713380,7,'return-address',NULL,NULL,4337551764,'-[CrashExampleAppDelegate applicationDidFinishLaunching:]','no symbol file for CrashExampleAppDelegate.m');
INSERT INTO "frames" VALUES(3324453974821713380,8,'return-address',NULL,NULL,6658500164,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,9,'return-address',NULL,NULL,4337551536,'main','no symbol file for main.m');
INSERT INTO "frames" VALUES(3324453974821713380,10,'return-address',NULL,NULL,4339437708,'exception','no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,11,'return-address',NULL,NULL,6614357976,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,12,'return-address',NULL,NULL,6614578928,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,13,'return-address',NULL,NULL,6613643496,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,14,'return-address',NULL,NULL,6611961640,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,15,'return-address',NULL,NULL,6611910768,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,16,'return-address',NULL,NULL,6658500164,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,17,'return-address',NULL,NULL,4337551536,'main','no symbol file for main.m');
INSERT INTO "frames" VALUES(3324453974821713380,18,'return-address',NULL,NULL,4339437708,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3324453974821713380,19,'return-address',NULL,NULL,6614556668,NULL,'no image of the log holds this address');
INSERT INTO "frames" VALUES(3479726883461548002,0,'program-counter',6556557505169381710,8188,NULL,'start_wqthread','no symbol file for libsystem_pthread.dylib (6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2)');
INSERT INTO "frames" VALUES(3724549878263306849,0,'return-address',NULL,NULL,NULL,'string_at',NULL);
INSERT INTO "frames" VALUES(3724549878263306849,1,'return-address',NULL,NULL,NULL,'leak',NULL);
INSERT INTO "frames" VALUES(3724549878263306849,2,'return-address',NULL,NULL,NULL,'main',NULL);
INSERT INTO "frames" VALUES(3724549878263306849,3,'return-address',NULL,NULL,NULL,'<module>',NULL);
INSERT INTO "frames" VALUES(3976328665996134627,0,'program-counter',5427484052828458513,466412,NULL,'___TERMINATING_DUE_TO_UNCAUGHT_EXCEPTION___','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(3976328665996134627,1,'return-address',8877094905872835211,8763,NULL,'objc_exception_throw','no symbol file for libobjc.A.dylib');
INSERT INTO "frames" VALUES(3976328665996134627,2,'return-address',5427484052828458513,496170,NULL,'-[NSObject doesNotRecognizeSelector:]','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(3976328665996134627,3,'return-address',5427484052828458513,489164,NULL,'___forwarding___','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(3976328665996134627,4,'return-address',5427484052828458513,489650,NULL,'_CF_forwarding_prep_0','no symbol file for CoreFoundation');
INSERT INTO "frames" VALUES(3976328665996134627,5,'return-address',1363041299598148674,2709,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(3976328665996134627,6,'return-address',1363041299598148674,2561,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(3976328665996134627,7,'return-address',1363041299598148674,2494,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(3976328665996134627,8,'return-address',364818711315517348,35002,NULL,'-[NSApplication finishLaunching]','no symbol file for AppKit');
INSERT INTO "frames" VALUES(3976328665996134627,9,'return-address',1363041299598148674,2285,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(3976328665996134627,10,'return-address',364818711315517348,33326,NULL,'-[NSApplication run]','no symbol file for AppKit');
INSERT INTO "frames" VALUES(4012443051627127631,0,'return-address',8145924641796394891,5008,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4012443051627127631,1,'return-address',6829283576016419488,245840,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,2,'return-address',6829283576016419488,569068,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,3,'return-address',6829283576016419488,245682,NULL,'gsignal','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,4,'return-address',6829283576016419488,156786,NULL,'abort','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,5,'return-address',6829283576016419488,156565,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,6,'return-address',6829283576016419488,216770,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,7,'return-address',8145924641796394891,5520,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4012443051627127631,8,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4012443051627127631,9,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4012443051627127631,10,'return-address',8145924641796394891,5226,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4012443051627127631,11,'return-address',8145924641796394891,4569,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4012443051627127631,12,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,13,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4012443051627127631,14,'return-address',8145924641796394891,4721,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4194605363212105068,0,'return-address',8145924641796394891,5076,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4194605363212105068,1,'return-address',8145924641796394891,5461,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4194605363212105068,2,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4194605363212105068,3,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4194605363212105068,4,'return-address',8145924641796394891,5226,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4194605363212105068,5,'return-address',8145924641796394891,4569,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4194605363212105068,6,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4194605363212105068,7,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-pie, which is not there');
INSERT INTO "frames" VALUES(4194605363212105068,8,'return-address',8145924641796394891,4721,NULL,NULL,'no symbol file for ferry-pie');
INSERT INTO "frames" VALUES(4488661165327322479,0,'return-address',4459453015784981455,3166,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(4488661165327322479,1,'return-address',6829283576016419488,245840,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,2,'return-address',6829283576016419488,569068,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,3,'return-address',6829283576016419488,245682,NULL,'gsignal','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,4,'return-address',6829283576016419488,156786,NULL,'abort','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,5,'return-address',6829283576016419488,156565,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,6,'return-address',6829283576016419488,216770,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,7,'return-address',4459453015784981455,3956,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(4488661165327322479,8,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4488661165327322479,9,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(4488661165327322479,10,'return-address',4459453015784981455,3787,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(4488661165327322479,11,'return-address',4459453015784981455,3673,NULL,'main','no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(4488661165327322479,12,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,13,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(4488661165327322479,14,'return-address',4459453015784981455,3249,NULL,'_start','no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(4523268805063426984,0,'return-address',342999665887586079,560840,NULL,'__exceptionPreprocess','no symbol file for CoreFoundation (646EEB1D-3360-5266-8BD4-1DEB15E2EC48)');
INSERT INTO "frames" VALUES(4523268805063426984,1,'return-address',703855826089671860,114388,NULL,'objc_exception_throw','no symbol file for libobjc.A.dylib (BC7030CC-88D8-5548-83EC-7DCA493FF0D8)');
INSERT INTO "frames" VALUES(4523268805063426984,2,'return-address',342999665887586079,1407932,NULL,'-[NSObject(NSObject) doesNotRecognizeSelector:]','no symbol file for CoreFoundation (646EEB1D-3360-5266-8BD4-1DEB15E2EC48)');
INSERT INTO "frames" VALUES(4523268805063426984,3,'return-address',342999665887586079,615764,NULL,'___forwarding___','no symbol file for CoreFoundation (646EEB1D-3360-5266-8BD4-1DEB15E2EC48)');
INSERT INTO "frames" VALUES(4523268805063426984,4,'return-address',342999665887586079,613824,NULL,'_CF_forwarding_prep_0','no symbol file for CoreFoundation (646EEB1D-3360-5266-8BD4-1DEB15E2EC48)');
INSERT INTO "frames" VALUES(4523268805063426984,5,'return-address',8629623322581264864,2708,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(4523268805063426984,6,'return-address',8629623322581264864,2536,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(4523268805063426984,7,'return-address',8629623322581264864,2452,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(4523268805063426984,8,'return-address',4164985172702617602,222788,NULL,'-[NSApplication finishLaunching]','no symbol file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)');
INSERT INTO "frames" VALUES(4523268805063426984,9,'return-address',8629623322581264864,2224,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(4523268805063426984,10,'return-address',5809764235921838397,20620,NULL,'start','no symbol file for dyld (CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E)');
INSERT INTO "frames" VALUES(4558361115068958918,0,'return-address',NULL,NULL,NULL,'main',NULL);
INSERT INTO "frames" VALUES(4558361115068958918,1,'return-address',NULL,NULL,NULL,'<module>',NULL);
INSERT INTO "frames" VALUES(4639109414215708724,0,'program-counter',6202835878315896484,8188,NULL,'start_wqthread','no symbol file for libsystem_pthread.dylib (6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2)');
INSERT INTO "frames" VALUES(4972116419807557735,0,'return-address',2793583676856241185,39053,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,1,'return-address',2793583676856241185,68288,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,2,'return-address',2793583676856241185,132059,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,3,'return-address',2793583676856241185,68178,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,4,'return-address',2793583676856241185,37557,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,5,'return-address',2793583676856241185,37321,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,6,'return-address',2793583676856241185,39281,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,7,'return-address',2793583676856241185,38524,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,8,'return-address',2793583676856241185,40116,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,9,'return-address',2793583676856241185,46000,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(4972116419807557735,10,'return-address',2793583676856241185,38577,NULL,NULL,'no symbol file for tide-static');
INSERT INTO "frames" VALUES(5055861980834150726,0,'return-address',394828666300557399,4199345,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(5055861980834150726,1,'return-address',394828666300557399,4199725,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(5055861980834150726,2,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(5055861980834150726,3,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(5055861980834150726,4,'return-address',394828666300557399,4199493,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(5055861980834150726,5,'return-address',394828666300557399,4198847,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(5055861980834150726,6,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(5055861980834150726,7,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(5055861980834150726,8,'return-address',394828666300557399,4198993,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(5802311526454751941,0,'program-counter',8629623322581264864,2644,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(5802311526454751941,1,'return-address',8629623322581264864,2536,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(5802311526454751941,2,'return-address',8629623322581264864,2452,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(5802311526454751941,3,'return-address',7240440802613515180,222788,NULL,'-[NSApplication finishLaunching]','no symbol file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)');
INSERT INTO "frames" VALUES(5802311526454751941,4,'return-address',8629623322581264864,2224,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(5802311526454751941,5,'return-address',3792687741469911711,20620,NULL,'start','no symbol file for dyld (CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E)');
INSERT INTO "frames" VALUES(6052457471254053150,0,'return-address',4459453015784981455,4004,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(6052457471254053150,1,'return-address',4459453015784981455,3854,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(6052457471254053150,2,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(6052457471254053150,3,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(6052457471254053150,4,'return-address',4459453015784981455,3787,NULL,NULL,'no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(6052457471254053150,5,'return-address',4459453015784981455,3673,NULL,'main','no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(6052457471254053150,6,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(6052457471254053150,7,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "frames" VALUES(6052457471254053150,8,'return-address',4459453015784981455,3249,NULL,'_start','no symbol file for ferry-clang');
INSERT INTO "frames" VALUES(6595369670424843015,0,'program-counter',7580878158098978889,38872,NULL,'__pthread_kill','no symbol file for libsystem_kernel.dylib (51A3B60D-A379-5DB4-BD36-EC845D7624C2)');
INSERT INTO "frames" VALUES(6595369670424843015,1,'return-address',6202835878315896484,30448,NULL,'pthread_kill','no symbol file for libsystem_pthread.dylib (6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2)');
INSERT INTO "frames" VALUES(6595369670424843015,2,'return-address',5258112889367813816,499944,NULL,'abort','no symbol file for libsystem_c.dylib (3323A993-5910-5050-8134-B4EACA2C471B)');
INSERT INTO "frames" VALUES(6595369670424843015,3,'return-address',703855826089671860,165672,NULL,'_objc_terminate()','no symbol file for libobjc.A.dylib (BC7030CC-88D8-5548-83EC-7DCA493FF0D8)');
INSERT INTO "frames" VALUES(6595369670424843015,4,'return-address',703855826089671860,114800,NULL,'objc_exception_rethrow','no symbol file for libobjc.A.dylib (BC7030CC-88D8-5548-83EC-7DCA493FF0D8)');
INSERT INTO "frames" VALUES(6595369670424843015,5,'return-address',4164985172702617602,222788,NULL,'-[NSApplication finishLaunching]','no symbol file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)');
INSERT INTO "frames" VALUES(6595369670424843015,6,'return-address',8629623322581264864,2224,NULL,NULL,NULL);
INSERT INTO "frames" VALUES(6595369670424843015,7,'return-address',5809764235921838397,20620,NULL,'start','no symbol file for dyld (CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E)');
INSERT INTO "frames" VALUES(6833509856841319986,0,'return-address',NULL,NULL,4200481,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,1,'return-address',NULL,NULL,4200861,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,2,'return-address',NULL,NULL,4200971,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,3,'return-address',NULL,NULL,4201041,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,4,'return-address',NULL,NULL,4200629,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,5,'return-address',NULL,NULL,4199919,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,6,'return-address',NULL,NULL,4201860,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,7,'return-address',NULL,NULL,4207744,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(6833509856841319986,8,'return-address',NULL,NULL,4200065,NULL,'the log has no module list, and no given symbol file has code at this address');
INSERT INTO "frames" VALUES(7421132027568929975,0,'return-address',394828666300557399,4199276,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(7421132027568929975,1,'return-address',6829283576016419488,245840,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,2,'return-address',6829283576016419488,569068,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,3,'return-address',6829283576016419488,245682,NULL,'gsignal','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,4,'return-address',6829283576016419488,156786,NULL,'abort','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,5,'return-address',6829283576016419488,156565,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,6,'return-address',6829283576016419488,216770,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,7,'return-address',394828666300557399,4199778,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(7421132027568929975,8,'return-address',4508823724507169037,4395,NULL,NULL,'no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(7421132027568929975,9,'return-address',4508823724507169037,4465,NULL,'harbour_berth','no symbol file for libharbour.so.1');
INSERT INTO "frames" VALUES(7421132027568929975,10,'return-address',394828666300557399,4199493,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(7421132027568929975,11,'return-address',394828666300557399,4198847,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(7421132027568929975,12,'return-address',6829283576016419488,160330,NULL,NULL,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,13,'return-address',6829283576016419488,160517,NULL,'__libc_start_main','did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-nopie, which is not there');
INSERT INTO "frames" VALUES(7421132027568929975,14,'return-address',394828666300557399,4198993,NULL,NULL,'no symbol file for ferry-nopie');
INSERT INTO "frames" VALUES(7911440777867886533,0,'return-address',NULL,NULL,100227219919998,'_Py_DumpStack','no symbol file for python3.14');
INSERT INTO "frames" VALUES(7911440777867886533,1,'return-address',6473460060482771044,3333309,NULL,NULL,'no symbol file for python3.14');
INSERT INTO "frames" VALUES(7911440777867886533,2,'return-address',1239962591701057082,261616,NULL,NULL,'no symbol file for libc.so.6');
INSERT INTO "frames" VALUES(7911440777867886533,3,'program-counter',2626711213168968766,4358,NULL,NULL,'no symbol file for libtank.so');
INSERT INTO "frames" VALUES(7911440777867886533,4,'return-address',NULL,NULL,139898865250635,'Java_Tank_drain','no symbol file for libtank.so');
INSERT INTO "frames" VALUES(7911440777867886533,5,'return-address',NULL,NULL,100227218645427,'_PyEval_EvalFrameDefault','no symbol file for python3.14');
INSERT INTO "frames" VALUES(7911440777867886533,6,'return-address',NULL,NULL,100227219263110,'PyEval_EvalCode','no symbol file for python3.14');
INSERT INTO "frames" VALUES(7911440777867886533,7,'truncated',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE functions (
    stack INTEGER NOT NULL, frame INTEGER NOT NULL, depth INTEGER NOT NULL, name TEXT NOT NULL, file TEXT, line INTEGER NOT NULL, column INTEGER NOT NULL,
    inlined INTEGER NOT NULL, PRIMARY KEY (stack, frame, depth)) WITHOUT ROWID;
INSERT INTO "functions" VALUES(1641010758586191236,5,0,'-[CrashExampleAppDelegate performTransition]','/src/CrashExampleAppDelegate.m',94,0,0);
INSERT INTO "functions" VALUES(1641010758586191236,6,0,'-[CrashExampleAppDelegate showDetail:]','/src/CrashExampleAppDelegate.m',60,0,0);
INSERT INTO "functions" VALUES(1641010758586191236,7,0,'-[CrashExampleAppDelegate applicationDidFinishLaunching:]','/src/CrashExampleAppDelegate.m',47,0,0);
INSERT INTO "functions" VALUES(1641010758586191236,9,0,'main','/src/main.m',9,0,0);
INSERT INTO "functions" VALUES(3976328665996134627,5,0,'-[CrashExampleAppDelegate performTransition]','/src/CrashExampleAppDelegate.m',94,0,0);
INSERT INTO "functions" VALUES(3976328665996134627,6,0,'-[CrashExampleAppDelegate showDetail:]','/src/CrashExampleAppDelegate.m',60,0,0);
INSERT INTO "functions" VALUES(3976328665996134627,7,0,'-[CrashExampleAppDelegate applicationDidFinishLaunching:]','/src/CrashExampleAppDelegate.m',47,0,0);
INSERT INTO "functions" VALUES(3976328665996134627,9,0,'main','/src/main.m',9,0,0);
INSERT INTO "functions" VALUES(4523268805063426984,5,0,'-[CrashExampleAppDelegate performTransition]','/src/CrashExampleAppDelegate.m',94,0,0);
INSERT INTO "functions" VALUES(4523268805063426984,6,0,'-[CrashExampleAppDelegate showDetail:]','/src/CrashExampleAppDelegate.m',60,0,0);
INSERT INTO "functions" VALUES(4523268805063426984,7,0,'-[CrashExampleAppDelegate applicationDidFinishLaunching:]','/src/CrashExampleAppDelegate.m',47,0,0);
INSERT INTO "functions" VALUES(4523268805063426984,9,0,'main','/src/main.m',9,0,0);
INSERT INTO "functions" VALUES(5802311526454751941,0,0,'-[CrashExampleAppDelegate performTransition]','/src/CrashExampleAppDelegate.m',88,0,0);
INSERT INTO "functions" VALUES(5802311526454751941,1,0,'-[CrashExampleAppDelegate showDetail:]','/src/CrashExampleAppDelegate.m',60,0,0);
INSERT INTO "functions" VALUES(5802311526454751941,2,0,'-[CrashExampleAppDelegate applicationDidFinishLaunching:]','/src/CrashExampleAppDelegate.m',47,0,0);
INSERT INTO "functions" VALUES(5802311526454751941,4,0,'main','/src/main.m',9,0,0);
INSERT INTO "functions" VALUES(6595369670424843015,6,0,'main','/src/main.m',9,0,0);
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1: logs, reports, stacks');
INSERT INTO "grdb_migrations" VALUES('2: signatures and groups');
INSERT INTO "grdb_migrations" VALUES('3: meanings');
INSERT INTO "grdb_migrations" VALUES('4: views');
CREATE TABLE images (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT, path TEXT, architecture TEXT, has_symbols INTEGER NOT NULL, reason TEXT);
INSERT INTO "images" VALUES(144690318121976089,'CrashExample',NULL,'/Applications/CrashExample.app/Contents/MacOS/CrashExample',NULL,1,NULL);
INSERT INTO "images" VALUES(302451531078940211,'tide',NULL,'./tide',NULL,0,'no symbol file for tide');
INSERT INTO "images" VALUES(342999665887586079,'CoreFoundation','646EEB1D-3360-5266-8BD4-1DEB15E2EC48','/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation','arm64',0,'no symbol file for CoreFoundation (646EEB1D-3360-5266-8BD4-1DEB15E2EC48)');
INSERT INTO "images" VALUES(364818711315517348,'AppKit',NULL,'/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit','x86_64',0,'no symbol file for AppKit');
INSERT INTO "images" VALUES(394828666300557399,'ferry-nopie',NULL,'./ferry-nopie',NULL,0,'no symbol file for ferry-nopie');
INSERT INTO "images" VALUES(703855826089671860,'libobjc.A.dylib','BC7030CC-88D8-5548-83EC-7DCA493FF0D8','/usr/lib/libobjc.A.dylib','arm64',0,'no symbol file for libobjc.A.dylib (BC7030CC-88D8-5548-83EC-7DCA493FF0D8)');
INSERT INTO "images" VALUES(1239962591701057082,'libc.so.6',NULL,NULL,NULL,0,'no symbol file for libc.so.6');
INSERT INTO "images" VALUES(1363041299598148674,'CrashExample','4C4C4415-5555-3144-A1EE-F64263BE1FB5','/Applications/CrashExample.app/Contents/MacOS/CrashExample','x86_64',1,NULL);
INSERT INTO "images" VALUES(2098685740165456905,'AppKit',NULL,'/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit',NULL,0,'no symbol file for AppKit');
INSERT INTO "images" VALUES(2621984437443295616,'libobjc.A.dylib',NULL,'/usr/lib/libobjc.A.dylib',NULL,0,'no symbol file for libobjc.A.dylib');
INSERT INTO "images" VALUES(2626711213168968766,'libtank.so',NULL,NULL,NULL,0,'no symbol file for libtank.so');
INSERT INTO "images" VALUES(2793583676856241185,'tide-static',NULL,'/srv/cairn-fixtures/tide-static',NULL,0,'no symbol file for tide-static');
INSERT INTO "images" VALUES(3792687741469911711,'dyld','CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E','/usr/lib/dyld','arm64e',0,'no symbol file for dyld (CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E)');
INSERT INTO "images" VALUES(4164985172702617602,'AppKit','CC35859E-847F-54E3-BB95-422DBEE62EDB','/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit','arm64',0,'no symbol file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)');
INSERT INTO "images" VALUES(4459453015784981455,'ferry-clang',NULL,'./ferry-clang',NULL,0,'no symbol file for ferry-clang');
INSERT INTO "images" VALUES(4508823724507169037,'libharbour.so.1',NULL,'/srv/cairn-fixtures/libharbour.so.1',NULL,0,'no symbol file for libharbour.so.1');
INSERT INTO "images" VALUES(5258112889367813816,'libsystem_c.dylib','3323A993-5910-5050-8134-B4EACA2C471B','/usr/lib/system/libsystem_c.dylib','arm64',0,'no symbol file for libsystem_c.dylib (3323A993-5910-5050-8134-B4EACA2C471B)');
INSERT INTO "images" VALUES(5427484052828458513,'CoreFoundation',NULL,'/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation','x86_64',0,'no symbol file for CoreFoundation');
INSERT INTO "images" VALUES(5809764235921838397,'dyld','CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E','/usr/lib/dyld','arm64',0,'no symbol file for dyld (CDCEF6A6-0A85-5716-9FAF-29B1736E4D5E)');
INSERT INTO "images" VALUES(6202835878315896484,'libsystem_pthread.dylib','6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2','/usr/lib/system/libsystem_pthread.dylib','arm64',0,'no symbol file for libsystem_pthread.dylib (6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2)');
INSERT INTO "images" VALUES(6473460060482771044,'python3.14',NULL,NULL,NULL,0,'no symbol file for python3.14');
INSERT INTO "images" VALUES(6556557505169381710,'libsystem_pthread.dylib','6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2','/usr/lib/system/libsystem_pthread.dylib','arm64e',0,'no symbol file for libsystem_pthread.dylib (6B076AE1-75F6-5355-9F2F-69DC7F4E1DC2)');
INSERT INTO "images" VALUES(6829283576016419488,'libc.so.6',NULL,'/lib/x86_64-linux-gnu/libc.so.6',NULL,0,'did not use /lib/x86_64-linux-gnu/libc.so.6 of this machine: the log has ./ferry-clang, which is not there');
INSERT INTO "images" VALUES(7240440802613515180,'AppKit','CC35859E-847F-54E3-BB95-422DBEE62EDB','/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit','arm64e',0,'no symbol file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)');
INSERT INTO "images" VALUES(7580878158098978889,'libsystem_kernel.dylib','51A3B60D-A379-5DB4-BD36-EC845D7624C2','/usr/lib/system/libsystem_kernel.dylib','arm64',0,'no symbol file for libsystem_kernel.dylib (51A3B60D-A379-5DB4-BD36-EC845D7624C2)');
INSERT INTO "images" VALUES(8145924641796394891,'ferry-pie',NULL,'./ferry-pie',NULL,0,'no symbol file for ferry-pie');
INSERT INTO "images" VALUES(8629623322581264864,'CrashExample','4C4C44FC-5555-3144-A11B-E947A8E8E6FE','/Applications/CrashExample.app/Contents/MacOS/CrashExample','arm64',1,NULL);
INSERT INTO "images" VALUES(8877094905872835211,'libobjc.A.dylib',NULL,'/usr/lib/libobjc.A.dylib','x86_64',0,'no symbol file for libobjc.A.dylib');
INSERT INTO "images" VALUES(9008330151574421985,'CoreFoundation',NULL,'/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation',NULL,0,'no symbol file for CoreFoundation');
CREATE TABLE loaded_images (report INTEGER NOT NULL REFERENCES reports (id), image INTEGER NOT NULL REFERENCES images (id), base INTEGER, PRIMARY KEY (report, image)) WITHOUT ROWID;
INSERT INTO "loaded_images" VALUES(24987879833910554,4459453015784981455,93824992231424);
INSERT INTO "loaded_images" VALUES(24987879833910554,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(24987879833910554,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(797443202001473370,144690318121976089,4096);
INSERT INTO "loaded_images" VALUES(797443202001473370,2098685740165456905,2457579520);
INSERT INTO "loaded_images" VALUES(797443202001473370,2621984437443295616,2497286144);
INSERT INTO "loaded_images" VALUES(797443202001473370,9008330151574421985,2527547392);
INSERT INTO "loaded_images" VALUES(959788514750831144,342999665887586079,6615003136);
INSERT INTO "loaded_images" VALUES(959788514750831144,703855826089671860,6611795968);
INSERT INTO "loaded_images" VALUES(959788514750831144,4164985172702617602,6658277376);
INSERT INTO "loaded_images" VALUES(959788514750831144,5258112889367813816,6613143552);
INSERT INTO "loaded_images" VALUES(959788514750831144,5809764235921838397,4339417088);
INSERT INTO "loaded_images" VALUES(959788514750831144,6202835878315896484,6614548480);
INSERT INTO "loaded_images" VALUES(959788514750831144,7580878158098978889,6614319104);
INSERT INTO "loaded_images" VALUES(959788514750831144,8629623322581264864,4337549312);
INSERT INTO "loaded_images" VALUES(2968401466528969330,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(2968401466528969330,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(2968401466528969330,8145924641796394891,93824992231424);
INSERT INTO "loaded_images" VALUES(3143319883410747824,1239962591701057082,139898858242048);
INSERT INTO "loaded_images" VALUES(3143319883410747824,2626711213168968766,139898865246208);
INSERT INTO "loaded_images" VALUES(3143319883410747824,6473460060482771044,100227216670720);
INSERT INTO "loaded_images" VALUES(3353950862784761150,144690318121976089,4096);
INSERT INTO "loaded_images" VALUES(3353950862784761150,2098685740165456905,2457579520);
INSERT INTO "loaded_images" VALUES(3353950862784761150,2621984437443295616,2497286144);
INSERT INTO "loaded_images" VALUES(3353950862784761150,9008330151574421985,2527547392);
INSERT INTO "loaded_images" VALUES(3630559200947596945,394828666300557399,NULL);
INSERT INTO "loaded_images" VALUES(3630559200947596945,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(3630559200947596945,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(3646337222463409352,364818711315517348,2457579520);
INSERT INTO "loaded_images" VALUES(3646337222463409352,1363041299598148674,4096);
INSERT INTO "loaded_images" VALUES(3646337222463409352,5427484052828458513,2527547392);
INSERT INTO "loaded_images" VALUES(3646337222463409352,8877094905872835211,2497286144);
INSERT INTO "loaded_images" VALUES(4381714123139379000,2793583676856241185,140358957162496);
INSERT INTO "loaded_images" VALUES(4580205832092281339,364818711315517348,2457579520);
INSERT INTO "loaded_images" VALUES(4580205832092281339,1363041299598148674,4096);
INSERT INTO "loaded_images" VALUES(4580205832092281339,5427484052828458513,2527547392);
INSERT INTO "loaded_images" VALUES(4580205832092281339,8877094905872835211,2497286144);
INSERT INTO "loaded_images" VALUES(5115999718137923648,302451531078940211,94713859563520);
INSERT INTO "loaded_images" VALUES(5115999718137923648,6829283576016419488,140468685979648);
INSERT INTO "loaded_images" VALUES(5893854507335076181,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(5893854507335076181,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(5893854507335076181,8145924641796394891,93824992231424);
INSERT INTO "loaded_images" VALUES(6645051881501842260,4459453015784981455,93824992231424);
INSERT INTO "loaded_images" VALUES(6645051881501842260,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(6645051881501842260,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(6758192079318302817,364818711315517348,2457579520);
INSERT INTO "loaded_images" VALUES(6758192079318302817,1363041299598148674,4096);
INSERT INTO "loaded_images" VALUES(6758192079318302817,5427484052828458513,2527547392);
INSERT INTO "loaded_images" VALUES(6758192079318302817,8877094905872835211,2497286144);
INSERT INTO "loaded_images" VALUES(6843159438408400237,364818711315517348,2457579520);
INSERT INTO "loaded_images" VALUES(6843159438408400237,1363041299598148674,4096);
INSERT INTO "loaded_images" VALUES(6843159438408400237,5427484052828458513,2527547392);
INSERT INTO "loaded_images" VALUES(6843159438408400237,8877094905872835211,2497286144);
INSERT INTO "loaded_images" VALUES(7628377311767570411,394828666300557399,NULL);
INSERT INTO "loaded_images" VALUES(7628377311767570411,4508823724507169037,140737353854976);
INSERT INTO "loaded_images" VALUES(7628377311767570411,6829283576016419488,140737351839744);
INSERT INTO "loaded_images" VALUES(7924194632184744664,2793583676856241185,140648189198336);
INSERT INTO "loaded_images" VALUES(8078060070837825689,302451531078940211,94657140097024);
INSERT INTO "loaded_images" VALUES(8078060070837825689,6829283576016419488,140144943783936);
INSERT INTO "loaded_images" VALUES(8704282165716488429,3792687741469911711,4339417088);
INSERT INTO "loaded_images" VALUES(8704282165716488429,6556557505169381710,6614548480);
INSERT INTO "loaded_images" VALUES(8704282165716488429,7240440802613515180,6658277376);
INSERT INTO "loaded_images" VALUES(8704282165716488429,8629623322581264864,4337549312);
CREATE TABLE logs (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, result TEXT NOT NULL, problems TEXT, rules TEXT, unanswered INTEGER NOT NULL DEFAULT 0);
INSERT INTO "logs" VALUES(44912779933190561,'013f1fdeeb9613434eb0ee6aa229df0d73ade549d904b7aebb895409f719464b',1265,'answered',NULL,'da909c96c385be01',11);
INSERT INTO "logs" VALUES(54513654869262326,'018357c2b3c7ffedd9ec285310372d7896b94d839d8eb886352b43def578f794',2086,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(597594175649867585,'109629791ee7ce821513ccb9461ca31edf956c9f42f4e623cc3018b88704d0bd',4558,'answered',NULL,'da909c96c385be01',15);
INSERT INTO "logs" VALUES(759544198677059942,'1514e2d952b5b2cd899482b1c118ca21602a11a6dac6b0d6459d3bd200227c1c',657,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(1180557329328709118,'20c45d45b73e3bfda188ed16661d82ea1e51935648621cb5e6afeb5d66ca4744',99,'answered',NULL,'da909c96c385be01',9);
INSERT INTO "logs" VALUES(1318235263530753307,'24969ff9ca49ba37e35376923d6333c69f0044e7ef80cd37c466ae53b13ad0f7',729,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(1333232147270997282,'25012f25fa702a44d679f71cb1de4e346631833841179d21168a0de16a8bb023',879,'answered',NULL,'da909c96c385be01',15);
INSERT INTO "logs" VALUES(1587497749231115705,'2c0fd995814e3b728faf9729a79f60b46bc55b9955c1070a325681872704bea4',245,'answered',NULL,'da909c96c385be01',15);
INSERT INTO "logs" VALUES(1686233617867813976,'2ecd691532aa68b10affcb9d4c89f1abec41961fc3c9031dd5da2e69cb2a883a',2062,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(1924808244449241957,'356c95ccee47d6ca1ca8d5197ae8e217fe1a5f66eb0769810397cdd9259a9cd4',2118,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(2027178652561030108,'3843f87cf44f77b9e9c0f0ec71dc48306d34e84382b07be62461844efe2b6c00',1803,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(2123205475742604478,'3aee48430d9ab97c8325b3a74b7af28b3affff35428d25fb14f7b40bc57d51d2',587,'answered',NULL,'da909c96c385be01',0);
INSERT INTO "logs" VALUES(2261266825740235563,'3ec34465053e6657f1897cdb63c0a231bea6d648cc5bddcb6807da89d20f3b8a',833,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(2596254227301124347,'480f7eeda9c791f792a315b52c6f2046da7e34ca649b756f341f3e68ffd21752',924,'answered',NULL,'da909c96c385be01',15);
INSERT INTO "logs" VALUES(2601429157263755436,'4834441236199159f616b3ae0eb3faa2df8829fa6c83c750aadeb2427c0a9eff',783,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(2614532076351863988,'48915e2461a27969ceca70b780b85856e223540283ede4801b820a779debfc95',628,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(2656542016260101314,'49bbddc7142aa985979d8ab8f8075fb87050adfa9db8e50f4c33c87dc06db821',569,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(2787598727249191304,'4d5f148bd409c310c1bf2d3289db6d0b073de1661a6c0998fe8274261d4998ae',402,'answered',NULL,'da909c96c385be01',9);
INSERT INTO "logs" VALUES(3336815311982541536,'5c9d7fb1af9b75c1cb2ae9795a3a7c5b6cdbad2c3114b451bdd853c5829bebf8',2810,'answered',NULL,'da909c96c385be01',3);
INSERT INTO "logs" VALUES(3417520384385274518,'5edaf15d97e1a52d65565c94650bca31404bbdba4dc7153c586258cf15daca55',1265,'answered',NULL,'da909c96c385be01',11);
INSERT INTO "logs" VALUES(3751252298596650914,'681e402e61711f448142a69dd176b7271edf8de447fded9722f94eb936f37ec8',791,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(3878849389383046188,'6ba8e1efeed5a85830a60c8c44413ffd04c20363dd97c143699d4c227548df38',1120,'answered',NULL,'da909c96c385be01',0);
INSERT INTO "logs" VALUES(3930957083381959204,'6d1b2147cc931449414623d8bbc6151458d2dc0f2dfadca153b163c357c22e5f',663,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(4005065152661101742,'6f29b312bd52395c6de7998d4f1ed6943d66933be4fab0e73b94f8efcdb5d24b',3281,'answered',NULL,'da909c96c385be01',11);
INSERT INTO "logs" VALUES(4649500741417356178,'810cb09496319724273b172014cc216e2843d1348468b1d6c5a258c0fc15cb86',811,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(4868376188547141211,'871fe4b30ea51cb64ec6d7e42082b0ab8853314c38b776528f93110642b272d7',1088,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(5069433622156150448,'8cb47e0a6a140d61f78699def929f0413fe2790f49ecd294b4a04ee827232097',840,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(5937947188362659418,'a4cfa703b2c58cb4a7b0a50b3f06fb5866beb3381326b33199d1d70203ae1670',457,'answered',NULL,'da909c96c385be01',9);
INSERT INTO "logs" VALUES(6012799652341970654,'a6e382da6edeedbcb326f6c266e658e07c1b5091d74e976c9c4e324efd98a018',3281,'answered',NULL,'da909c96c385be01',11);
INSERT INTO "logs" VALUES(6122385295598787005,'a9ee29fa247b337b3f99023bdd6503ef9e83e4acd563e3cf29792fa39828f7bf',637,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(6136286844968711890,'aa50f0bf84866da51e7f510378663ffd473a0feea0519f000426b6a30758a497',816,'answered',NULL,'da909c96c385be01',15);
INSERT INTO "logs" VALUES(6568229234377504087,'b64e13609cd06aaf3db7a2a061d24b915246f697970c7ca61da7ff151ba268e4',833,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(7189355820683735536,'c78b720e5f7b63e0da8c95daa7f8c723446981e2bce544996d79e0689e8853f7',721,'no-trace','no crash report found','da909c96c385be01',0);
INSERT INTO "logs" VALUES(7409361895916448432,'cda6aec694d455608076a594a89a8f78455b96fa5c154ce9914735d95f84d3a2',1808,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(7709976005596263635,'d5feaca7e0b369a7ba231509ca48eb70955c02cf5508ac0c94c5b7b63dd70f95',1078,'answered',NULL,'da909c96c385be01',20);
INSERT INTO "logs" VALUES(8569118212368352725,'edd73f39dd178baa14cf5d0710611628ea5dda2dc9cc83a90a26522190de71a3',470,'answered',NULL,'da909c96c385be01',9);
INSERT INTO "logs" VALUES(8757122120178811593,'f30f185797f28592a9566c4a7323579e05fd124c70a6931d921b7cca4d762fc9',2119,'answered',NULL,'da909c96c385be01',7);
INSERT INTO "logs" VALUES(9113718452564664314,'fcf4dd4ac8143ff52b83bbac733c058c0e2c367def87fae6a3cff0b91e6a8f7e',569,'no-trace','no crash report found','da909c96c385be01',0);
CREATE TABLE moved_reports (report INTEGER PRIMARY KEY, crash_group TEXT NOT NULL);
CREATE TABLE reports (
    id INTEGER PRIMARY KEY, log INTEGER NOT NULL REFERENCES logs (id), number INTEGER NOT NULL, format TEXT NOT NULL, process TEXT, identifier TEXT, version TEXT, pid INTEGER,
    platform TEXT, architecture TEXT, instant INTEGER, time TEXT, cause_kind TEXT, cause_type TEXT, signal TEXT, message TEXT, fault_address INTEGER, system TEXT, device TEXT, signature INTEGER REFERENCES signatures (id), meaning TEXT, UNIQUE (log, number));
INSERT INTO "reports" VALUES(24987879833910554,2596254227301124347,0,'glibc-backtrace','ferry-clang',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'runtimeError','assertion failed',NULL,'ferry.c:75: int count_crate(const struct ship *, int): Assertion `ship->crates < crate'' failed.',NULL,NULL,NULL,2867469168592557120,'A condition that an assert() of the program checks did not hold.');
INSERT INTO "reports" VALUES(797443202001473370,2027178652561030108,0,'apple-crash','CrashExample',NULL,'1.0 (7)',41720,'10.4.11 (Build 8S2167)',NULL,1196551800250000000,'2007-12-01 18:30:00.250 -0500','machException','EXC_BREAKPOINT',NULL,NULL,NULL,'10.4.11 (Build 8S2167)',NULL,8822334505064897792,'The program executed a trap instruction. Swift''s runtime and other libraries use it to stop at an error that they detect.');
INSERT INTO "reports" VALUES(959788514750831144,597594175649867585,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',5120,'macOS','arm64',1644603730774000000,'2022-02-11 18:22:10.7740 +0000','machException','EXC_CRASH','SIGABRT','*** Terminating app due to uncaught exception ''NSInvalidArgumentException'', reason: ''-[CrashExampleAppDelegate runTransitionOfKind:]: unrecognized selector sent to instance 0x13a604080''',NULL,'macOS 12.2 (21D49)',NULL,6936638645166667289,'The program sent a message to an Objective-C object that does not have the method.');
INSERT INTO "reports" VALUES(2152641073961484637,3878849389383046188,0,'python-trace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'languageException','KeyError',NULL,'0',NULL,NULL,NULL,967021792484718791,NULL);
INSERT INTO "reports" VALUES(2672221016229825395,1180557329328709118,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,6246580270890066484,NULL);
INSERT INTO "reports" VALUES(2953197854835341205,2123205475742604478,0,'python-trace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signal','Fatal Python error',NULL,'Segmentation fault',NULL,NULL,NULL,3727021112174268247,'The process received SIGSEGV, the signal for an access to memory that is not mapped or not allowed.');
INSERT INTO "reports" VALUES(2968401466528969330,5937947188362659418,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,8342104171641870371,NULL);
INSERT INTO "reports" VALUES(3143319883410747824,5069433622156150448,0,'python-trace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signal','Fatal Python error',NULL,'Segmentation fault',NULL,NULL,NULL,8386439739631561238,'The process received SIGSEGV, the signal for an access to memory that is not mapped or not allowed.');
INSERT INTO "reports" VALUES(3353950862784761150,7409361895916448432,0,'apple-crash','CrashExample',NULL,'1.0 (7)',41720,'10.3.9 (Build 7W98)',NULL,1114934400000000000,'2005-05-01 10:00:00 +0200','machException','EXC_BREAKPOINT',NULL,NULL,NULL,'10.3.9 (Build 7W98)',NULL,8822334505064897792,'The program executed a trap instruction. Swift''s runtime and other libraries use it to stop at an error that they detect.');
INSERT INTO "reports" VALUES(3394485676106018238,1587497749231115705,0,'glibc-backtrace','ferry-static',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'runtimeError','assertion failed',NULL,'ferry.c:75: count_crate: Assertion `ship->crates < crate'' failed.',NULL,NULL,NULL,1377390091702410146,'A condition that an assert() of the program checks did not hold.');
INSERT INTO "reports" VALUES(3630559200947596945,2787598727249191304,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,4402377113939537655,NULL);
INSERT INTO "reports" VALUES(3646337222463409352,1924808244449241957,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',41720,'Mac OS X','x86_64',1351844100101000000,'2012-11-02 09:15:00.101 +0100','machException','EXC_BREAKPOINT','SIGTRAP','*** Terminating app due to uncaught exception ''NSInvalidArgumentException'', reason: ''a < b & c''',NULL,'Mac OS X 10.7.5 (11G63)',NULL,7957442159262638259,'A method was called with an argument that is not valid, and nothing caught the exception.');
INSERT INTO "reports" VALUES(4381714123139379000,3417520384385274518,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,5598307235201057779,NULL);
INSERT INTO "reports" VALUES(4580205832092281339,54513654869262326,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',41720,'Mac OS X','x86_64',1225023943385000000,'2008-10-26 13:25:43.385 +0100','machException','EXC_BREAKPOINT','SIGTRAP','*** Terminating app due to uncaught exception ''NSInvalidArgumentException'', reason: ''a < b & c''',NULL,'Mac OS X 10.5.5 (9F33)',NULL,7957442159262638259,'A method was called with an argument that is not valid, and nothing caught the exception.');
INSERT INTO "reports" VALUES(5115999718137923648,4005065152661101742,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,7072151025601201462,NULL);
INSERT INTO "reports" VALUES(5893854507335076181,1333232147270997282,0,'glibc-backtrace','ferry-pie',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'runtimeError','assertion failed',NULL,'ferry.c:75: count_crate: Assertion `ship->crates < crate'' failed.',NULL,NULL,NULL,5322002872835873615,'A condition that an assert() of the program checks did not hold.');
INSERT INTO "reports" VALUES(6645051881501842260,8569118212368352725,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,8464643837989216104,NULL);
INSERT INTO "reports" VALUES(6758192079318302817,1686233617867813976,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',41720,'Mac OS X','x86_64',1225023943385000000,'2008-10-26 13:25:43.385 +0100','machException','EXC_BREAKPOINT','SIGTRAP','*** Terminating app due to uncaught exception
''NSInvalidArgumentException'', reason: ''a < b & c''',NULL,'Mac OS X 10.5.5 (9F33)',NULL,7957442159262638259,'The program executed a trap instruction. Swift''s runtime and other libraries use it to stop at an error that they detect.');
INSERT INTO "reports" VALUES(6843159438408400237,8757122120178811593,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',41720,'Mac OS X','x86_64',1413864119007000000,'2014-10-20 21:01:59.007 -0700','machException','EXC_BREAKPOINT','SIGTRAP','*** Terminating app due to uncaught exception ''NSInvalidArgumentException'', reason: ''a < b & c''',NULL,'Mac OS X 10.9.5 (13F34)',NULL,7957442159262638259,'A method was called with an argument that is not valid, and nothing caught the exception.');
INSERT INTO "reports" VALUES(6999804369370721029,7709976005596263635,0,'stack-rows',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1390815055377514506,NULL);
INSERT INTO "reports" VALUES(7628377311767570411,6136286844968711890,0,'glibc-backtrace','ferry-nopie',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'runtimeError','assertion failed',NULL,'ferry.c:75: count_crate: Assertion `ship->crates < crate'' failed.',NULL,NULL,NULL,6150874585398897557,'A condition that an assert() of the program checks did not hold.');
INSERT INTO "reports" VALUES(7924194632184744664,44912779933190561,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,5598307235201057779,NULL);
INSERT INTO "reports" VALUES(8078060070837825689,6012799652341970654,0,'glibc-backtrace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,7072151025601201462,NULL);
INSERT INTO "reports" VALUES(8704282165716488429,3336815311982541536,0,'apple-crash','CrashExample','org.example.CrashExample','1.0 (7)',5120,'iPhone OS','arm64',1644603730774000000,'2022-02-11 18:22:10.7740 +0000','machException','EXC_BAD_ACCESS','SIGSEGV','KERN_INVALID_ADDRESS at 0x00000000000013b0',5040,'iPhone OS 13.1.3 (17A878)','iPhone12,1',2103796519032631443,'The program accessed address 0x13b0, just above null, where the fields and elements of a null pointer are.');
CREATE TABLE runs (id INTEGER PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER, version TEXT NOT NULL, roots TEXT NOT NULL, logs INTEGER);
INSERT INTO "runs" VALUES(1,1796009259758570552,1796009259806619219,'0.1.0','crashes',38);
CREATE TABLE signatures (
    id INTEGER PRIMARY KEY, family TEXT NOT NULL, words TEXT NOT NULL, title TEXT NOT NULL, exact TEXT NOT NULL, own_code TEXT NOT NULL, lacks_symbols INTEGER NOT NULL, absence TEXT,
    frames TEXT NOT NULL, crash_group TEXT REFERENCES crash_groups (id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "signatures" VALUES(967021792484718791,'exception KeyError','KeyError','KeyError in tank.py:drain | tank.py:fill | tank.py:main','eb6720773d7ee89e','b0ee93ba90ce439a',0,NULL,'? ? ? ?
?
so	0	python					tank.py:drain	
so	2	python					tank.py:fill	
so	5	python					tank.py:main	
so	6	python					tank.py:<module>	','492bb62edddacbcb');
INSERT INTO "signatures" VALUES(1377390091702410146,'crash','assertion failed','assertion failed: the stack has only functions that every crash has','fab1f3e1666928ae','e32e3860e0cd4851',0,'the stack has only functions that every crash has','assertion failed
the stack has only functions that every crash has
?',NULL);
INSERT INTO "signatures" VALUES(1390815055377514506,'crash','crash','crash in exception | -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:]','13e8dac29453a9ae','0106e34a00d07823',0,NULL,'? ?
?
o	0	cPlusPlus					exception	
o	5	objectiveC	CrashExampleAppDelegate.m				-[CrashExampleAppDelegate performTransition]	
o	6	objectiveC	CrashExampleAppDelegate.m				-[CrashExampleAppDelegate showDetail:]	
o	7	objectiveC	CrashExampleAppDelegate.m				-[CrashExampleAppDelegate applicationDidFinishLaunching:]	
o	8	cPlusPlus					exception	','4b581411394b8610');
INSERT INTO "signatures" VALUES(2103796519032631443,'crash','SIGSEGV','SIGSEGV in -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:] | -[CrashExampleAppDelegate applicationDidFinishLaunching:]','794e52f877610d87','2d84ba86aa3f4bbb',0,NULL,'CrashExample+0xa54@4c4c44fc5555 CrashExample+0x9e8@4c4c44fc5555 CrashExample+0x994@4c4c44fc5555 CrashExample+0x8b0@4c4c44fc5555
4c4c44fc55553144a11be947a8e8e6fe
so	0	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	a54		-[CrashExampleAppDelegate performTransition]	
so	1	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	9e8		-[CrashExampleAppDelegate showDetail:]	
so	2	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	994		-[CrashExampleAppDelegate applicationDidFinishLaunching:]	','39f055cd1bbb392e');
INSERT INTO "signatures" VALUES(2867469168592557120,'crash','assertion failed','assertion failed in ferry-clang | libharbour.so.1+0x112b | harbour_berth','5a32b30abd1ac5ea','167134ab66d16409',1,NULL,'ferry-clang+0xf74 ferry-clang+0xecb ferry-clang+0xe59
ferry-clang+0xe59
ho	7	cPlusPlus	ferry-clang		f74			
ho	8	cPlusPlus	libharbour.so.1		112b			
o	9	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	10	cPlusPlus	ferry-clang		ecb			','04b94ec90f6756b8');
INSERT INTO "signatures" VALUES(3727021112174268247,'crash','SIGSEGV','SIGSEGV in __init__.py:string_at | tank.py:leak | tank.py:main','0f3f13e0c66d8b6a','f05561ba1b842023',0,NULL,'? ? ? ?
?
so	1	python					tank.py:leak	
so	2	python					tank.py:main	
so	3	python					tank.py:<module>	','3d341d6e4075a709');
INSERT INTO "signatures" VALUES(4402377113939537655,'crash','crash','crash in ferry-nopie | libharbour.so.1+0x112b | harbour_berth','12290d2831181621','c0aafccd2d40f62c',1,NULL,'ferry-nopie+0x4013b1 ferry-nopie+0x40152d ferry-nopie+0x401445 ferry-nopie+0x4011bf
ferry-nopie+0x401251
ho	0	cPlusPlus	ferry-nopie		4013b1			
ho	1	cPlusPlus	ferry-nopie		40152d			
ho	2	cPlusPlus	libharbour.so.1		112b			
o	3	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	4	cPlusPlus	ferry-nopie		401445			
ho	5	cPlusPlus	ferry-nopie		4011bf			
ho	8	cPlusPlus	ferry-nopie		401251			','600108375541328f');
INSERT INTO "signatures" VALUES(5322002872835873615,'crash','assertion failed','assertion failed in ferry-pie | libharbour.so.1+0x112b | harbour_berth','48b4f994ae504744','cff0e03e3a3faf18',1,NULL,'ferry-pie+0x1590 ferry-pie+0x146a ferry-pie+0x11d9 ferry-pie+0x1271
ferry-pie+0x1271
ho	7	cPlusPlus	ferry-pie		1590			
ho	8	cPlusPlus	libharbour.so.1		112b			
o	9	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	10	cPlusPlus	ferry-pie		146a			
ho	11	cPlusPlus	ferry-pie		11d9			
ho	14	cPlusPlus	ferry-pie		1271			','80f5c1b230739df7');
INSERT INTO "signatures" VALUES(5598307235201057779,'crash','crash','crash in tide-static+0x988d | tide-static+0x10ac0 | tide-static+0x203db','8ee33e18cb4333ce','e29b2ee66b62ba4b',1,NULL,'tide-static+0x988d tide-static+0x10ac0 tide-static+0x203db tide-static+0x10a52
tide-static+0x96b1
ho	0	cPlusPlus	tide-static		988d			
ho	1	cPlusPlus	tide-static		10ac0			
ho	2	cPlusPlus	tide-static		203db			
ho	3	cPlusPlus	tide-static		10a52			
ho	4	cPlusPlus	tide-static		92b5			
ho	5	cPlusPlus	tide-static		91c9			
ho	6	cPlusPlus	tide-static		9971			
ho	7	cPlusPlus	tide-static		967c			
ho	8	cPlusPlus	tide-static		9cb4			
ho	9	cPlusPlus	tide-static		b3b0			
ho	10	cPlusPlus	tide-static		96b1			','1de992fec5bc1df7');
INSERT INTO "signatures" VALUES(6150874585398897557,'crash','assertion failed','assertion failed in ferry-nopie | libharbour.so.1+0x112b | harbour_berth','083164398bb37b0f','352f8dc6f773271b',1,NULL,'ferry-nopie+0x401562 ferry-nopie+0x401445 ferry-nopie+0x4011bf ferry-nopie+0x401251
ferry-nopie+0x401251
ho	7	cPlusPlus	ferry-nopie		401562			
ho	8	cPlusPlus	libharbour.so.1		112b			
o	9	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	10	cPlusPlus	ferry-nopie		401445			
ho	11	cPlusPlus	ferry-nopie		4011bf			
ho	14	cPlusPlus	ferry-nopie		401251			','393f515a89ee2d5c');
INSERT INTO "signatures" VALUES(6246580270890066484,'crash','crash','crash: the stack has only functions that every crash has','730bef7498bf427a','e32e3860e0cd4851',0,'the stack has only functions that every crash has','crash
the stack has only functions that every crash has
?',NULL);
INSERT INTO "signatures" VALUES(6936638645166667289,'crash','SIGABRT','SIGABRT in -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:] | -[CrashExampleAppDelegate applicationDidFinishLaunching:]','30147be50cf1b4db','2d84ba86aa3f4bbb',0,NULL,'CrashExample+0xa94@4c4c44fc5555 CrashExample+0x9e8@4c4c44fc5555 CrashExample+0x994@4c4c44fc5555 CrashExample+0x8b0@4c4c44fc5555
4c4c44fc55553144a11be947a8e8e6fe
so	5	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	a94		-[CrashExampleAppDelegate performTransition]	
so	6	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	9e8		-[CrashExampleAppDelegate showDetail:]	
so	7	objectiveC	CrashExample	4c4c44fc55553144a11be947a8e8e6fe	994		-[CrashExampleAppDelegate applicationDidFinishLaunching:]	','39f055cd1bbb392e');
INSERT INTO "signatures" VALUES(7072151025601201462,'crash','crash','crash in tide+0x1da6 | tide+0x1c81 | tide+0x1b7b','f9f9a733bcb83060','978b368c29ac1830',1,NULL,'tide+0x1da6 tide+0x1c81 tide+0x1b7b tide+0x1a61
tide+0x1a61
ho	5	cPlusPlus	tide		1da6			
ho	6	cPlusPlus	tide		1c81			
ho	7	cPlusPlus	tide		1b7b			
ho	10	cPlusPlus	tide		1a61			','7bf1df2f4902fee1');
INSERT INTO "signatures" VALUES(7957442159262638259,'crash','SIGTRAP','SIGTRAP in -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:] | -[CrashExampleAppDelegate applicationDidFinishLaunching:]','487750408610ea95','2d84ba86aa3f4bbb',0,NULL,'CrashExample+0xa95@4c4c44155555 CrashExample+0xa01@4c4c44155555 CrashExample+0x9be@4c4c44155555 CrashExample+0x8ed@4c4c44155555
4c4c441555553144a1eef64263be1fb5
so	5	objectiveC	CrashExample	4c4c441555553144a1eef64263be1fb5	a95		-[CrashExampleAppDelegate performTransition]	
so	6	objectiveC	CrashExample	4c4c441555553144a1eef64263be1fb5	a01		-[CrashExampleAppDelegate showDetail:]	
so	7	objectiveC	CrashExample	4c4c441555553144a1eef64263be1fb5	9be		-[CrashExampleAppDelegate applicationDidFinishLaunching:]	','39f055cd1bbb392e');
INSERT INTO "signatures" VALUES(8342104171641870371,'crash','crash','crash in ferry-pie | libharbour.so.1+0x112b | harbour_berth','c652ac8fd84aee36','ffc725cd34b6cbdb',1,NULL,'ferry-pie+0x13d4 ferry-pie+0x1555 ferry-pie+0x146a ferry-pie+0x11d9
ferry-pie+0x1271
ho	0	cPlusPlus	ferry-pie		13d4			
ho	1	cPlusPlus	ferry-pie		1555			
ho	2	cPlusPlus	libharbour.so.1		112b			
o	3	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	4	cPlusPlus	ferry-pie		146a			
ho	5	cPlusPlus	ferry-pie		11d9			
ho	8	cPlusPlus	ferry-pie		1271			','e28785b64144fb75');
INSERT INTO "signatures" VALUES(8386439739631561238,'crash','SIGSEGV','SIGSEGV in tank.py:leak | tank.py:<module>','9b69a8b0f1de2da2','1e1a773afab08fd9',0,NULL,'? ?
?
so	0	python					tank.py:leak	
so	1	python					tank.py:<module>	','3d341d6e4075a709');
INSERT INTO "signatures" VALUES(8464643837989216104,'crash','crash','crash in ferry-clang | libharbour.so.1+0x112b | harbour_berth','0782cf8100c06c80','dcd0435a7aa90eaa',1,NULL,'ferry-clang+0xfa4 ferry-clang+0xf0e ferry-clang+0xecb ferry-clang+0xe59
ferry-clang+0xe59
ho	0	cPlusPlus	ferry-clang		fa4			
ho	1	cPlusPlus	ferry-clang		f0e			
ho	2	cPlusPlus	libharbour.so.1		112b			
o	3	cPlusPlus	libharbour.so.1		1171		harbour_berth	
ho	4	cPlusPlus	ferry-clang		ecb			','d5057e65a42a3705');
INSERT INTO "signatures" VALUES(8822334505064897792,'crash','EXC_BREAKPOINT','EXC_BREAKPOINT in -[CrashExampleAppDelegate performTransition] | -[CrashExampleAppDelegate showDetail:] | -[CrashExampleAppDelegate applicationDidFinishLaunching:]','a5e54e39808b7151','2d84ba86aa3f4bbb',0,NULL,'CrashExample+0xa95 CrashExample+0xa01 CrashExample+0x9be CrashExample+0x8ed
CrashExample+0x8ed
so	5	objectiveC	CrashExample		a95		-[CrashExampleAppDelegate performTransition]	
so	6	objectiveC	CrashExample		a01		-[CrashExampleAppDelegate showDetail:]	
so	7	objectiveC	CrashExample		9be		-[CrashExampleAppDelegate applicationDidFinishLaunching:]	','39f055cd1bbb392e');
CREATE TABLE stacks (id INTEGER PRIMARY KEY, frames INTEGER NOT NULL, unanswered INTEGER NOT NULL DEFAULT 0);
INSERT INTO "stacks" VALUES(450055204083691138,2,0);
INSERT INTO "stacks" VALUES(1641010758586191236,11,7);
INSERT INTO "stacks" VALUES(1700939581030723535,11,11);
INSERT INTO "stacks" VALUES(2002247571939192422,3,0);
INSERT INTO "stacks" VALUES(2922678845740349232,6,0);
INSERT INTO "stacks" VALUES(3086638576008917747,15,15);
INSERT INTO "stacks" VALUES(3324453974821713380,20,20);
INSERT INTO "stacks" VALUES(3479726883461548002,1,1);
INSERT INTO "stacks" VALUES(3724549878263306849,4,0);
INSERT INTO "stacks" VALUES(3976328665996134627,11,7);
INSERT INTO "stacks" VALUES(4012443051627127631,15,15);
INSERT INTO "stacks" VALUES(4194605363212105068,9,9);
INSERT INTO "stacks" VALUES(4488661165327322479,15,15);
INSERT INTO "stacks" VALUES(4523268805063426984,11,7);
INSERT INTO "stacks" VALUES(4558361115068958918,2,0);
INSERT INTO "stacks" VALUES(4639109414215708724,1,1);
INSERT INTO "stacks" VALUES(4972116419807557735,11,11);
INSERT INTO "stacks" VALUES(5055861980834150726,9,9);
INSERT INTO "stacks" VALUES(5802311526454751941,6,2);
INSERT INTO "stacks" VALUES(6052457471254053150,9,9);
INSERT INTO "stacks" VALUES(6595369670424843015,8,7);
INSERT INTO "stacks" VALUES(6833509856841319986,9,9);
INSERT INTO "stacks" VALUES(7421132027568929975,15,15);
INSERT INTO "stacks" VALUES(7911440777867886533,8,7);
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), grouped INTEGER NOT NULL);
INSERT INTO "state" VALUES(1,1);
CREATE TABLE threads (
    report INTEGER NOT NULL REFERENCES reports (id), number INTEGER NOT NULL, role TEXT NOT NULL, thread INTEGER NOT NULL, name TEXT, crashed INTEGER NOT NULL,
    stack INTEGER NOT NULL REFERENCES stacks (id), PRIMARY KEY (report, number)) WITHOUT ROWID;
INSERT INTO "threads" VALUES(24987879833910554,0,'thread',0,NULL,1,4488661165327322479);
INSERT INTO "threads" VALUES(797443202001473370,0,'thread',0,NULL,1,1641010758586191236);
INSERT INTO "threads" VALUES(959788514750831144,0,'exception',0,'Last Exception Backtrace',1,4523268805063426984);
INSERT INTO "threads" VALUES(959788514750831144,1,'thread',0,'com.apple.main-thread',1,6595369670424843015);
INSERT INTO "threads" VALUES(959788514750831144,2,'thread',1,NULL,0,4639109414215708724);
INSERT INTO "threads" VALUES(2152641073961484637,0,'other',0,'KeyError: 0',0,2922678845740349232);
INSERT INTO "threads" VALUES(2152641073961484637,1,'thread',1,NULL,1,4558361115068958918);
INSERT INTO "threads" VALUES(2672221016229825395,0,'thread',0,NULL,1,6833509856841319986);
INSERT INTO "threads" VALUES(2953197854835341205,0,'thread',0,'Thread 0x00007ffff79b26c0',0,2002247571939192422);
INSERT INTO "threads" VALUES(2953197854835341205,1,'thread',1,'Current thread 0x00007ffff7ca9040',1,3724549878263306849);
INSERT INTO "threads" VALUES(2968401466528969330,0,'thread',0,NULL,1,4194605363212105068);
INSERT INTO "threads" VALUES(3143319883410747824,0,'other',0,'Current thread''s C stack trace',1,7911440777867886533);
INSERT INTO "threads" VALUES(3143319883410747824,1,'thread',0,'Current thread 0x00007f3cbe3ec740 [python3]',1,450055204083691138);
INSERT INTO "threads" VALUES(3353950862784761150,0,'thread',0,NULL,1,1641010758586191236);
INSERT INTO "threads" VALUES(3394485676106018238,0,'thread',0,NULL,1,3086638576008917747);
INSERT INTO "threads" VALUES(3630559200947596945,0,'thread',0,NULL,1,5055861980834150726);
INSERT INTO "threads" VALUES(3646337222463409352,0,'thread',0,'com.apple.main-thread',1,3976328665996134627);
INSERT INTO "threads" VALUES(4381714123139379000,0,'thread',0,NULL,1,4972116419807557735);
INSERT INTO "threads" VALUES(4580205832092281339,0,'thread',0,NULL,1,3976328665996134627);
INSERT INTO "threads" VALUES(5115999718137923648,0,'thread',0,NULL,1,1700939581030723535);
INSERT INTO "threads" VALUES(5893854507335076181,0,'thread',0,NULL,1,4012443051627127631);
INSERT INTO "threads" VALUES(6645051881501842260,0,'thread',0,NULL,1,6052457471254053150);
INSERT INTO "threads" VALUES(6758192079318302817,0,'thread',0,NULL,1,3976328665996134627);
INSERT INTO "threads" VALUES(6843159438408400237,0,'thread',0,'com.apple.main-thread',1,3976328665996134627);
INSERT INTO "threads" VALUES(6999804369370721029,0,'thread',0,NULL,1,3324453974821713380);
INSERT INTO "threads" VALUES(7628377311767570411,0,'thread',0,NULL,1,7421132027568929975);
INSERT INTO "threads" VALUES(7924194632184744664,0,'thread',0,NULL,1,4972116419807557735);
INSERT INTO "threads" VALUES(8078060070837825689,0,'thread',0,NULL,1,1700939581030723535);
INSERT INTO "threads" VALUES(8704282165716488429,0,'thread',0,'com.apple.main-thread',1,5802311526454751941);
INSERT INTO "threads" VALUES(8704282165716488429,1,'thread',1,NULL,0,3479726883461548002);
CREATE TABLE unread (path TEXT PRIMARY KEY, problem TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX files_log ON files (log);
CREATE INDEX reports_process ON reports (process, version);
CREATE INDEX reports_instant ON reports (instant);
CREATE INDEX images_identity ON images (identity);
CREATE INDEX images_missing ON images (has_symbols, name);
CREATE INDEX threads_stack ON threads (stack);
CREATE INDEX frames_image ON frames (image, offset);
CREATE INDEX functions_name ON functions (name);
CREATE INDEX signatures_group ON signatures (crash_group);
CREATE INDEX signatures_exact ON signatures (exact);
CREATE INDEX signatures_own_code ON signatures (own_code);
CREATE INDEX crash_groups_reports ON crash_groups (reports);
CREATE INDEX reports_signature ON reports (signature, instant);
CREATE INDEX logs_unanswered ON logs (unanswered) WHERE unanswered > 0;
CREATE INDEX loaded_images_image ON loaded_images (image);
CREATE VIEW top_groups AS
SELECT g.id AS crash_group, g.title, s.family, s.words, g.reports, g.logs, g.first, g.last, g.example, s.lacks_symbols
FROM crash_groups AS g JOIN signatures AS s ON s.id = g.leader;
CREATE VIEW group_reports AS
SELECT s.crash_group, r.id AS report, r.process, r.version, r.system, r.device, r.architecture, r.instant, r.signal, r.message, r.meaning, l.content, r.number,
    (SELECT min(path) FROM files WHERE files.log = r.log) AS path
FROM signatures AS s JOIN reports AS r ON r.signature = s.id JOIN logs AS l ON l.id = r.log;
CREATE VIEW missing_symbols AS
SELECT i.name, i.identity, i.architecture, i.path, i.reason, count(*) AS reports
FROM images AS i JOIN loaded_images AS l ON l.image = i.id WHERE i.has_symbols = 0 AND i.reason IS NOT NULL
GROUP BY i.id, i.name, i.identity, i.architecture, i.path, i.reason;
CREATE VIEW group_days AS
SELECT s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END AS day, count(*) AS reports
FROM signatures AS s JOIN reports AS r ON r.signature = s.id WHERE r.instant IS NOT NULL
GROUP BY s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END;
COMMIT;
