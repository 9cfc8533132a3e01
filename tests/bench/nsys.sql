SELECT value AS name, "end" - start AS ns FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName
UNION ALL SELECT 'copy ' || copyKind || ' ' || srcKind || ' ' || dstKind, "end" - start FROM CUPTI_ACTIVITY_KIND_MEMCPY
UNION ALL SELECT 'set ' || memKind, "end" - start FROM CUPTI_ACTIVITY_KIND_MEMSET
UNION ALL SELECT value, "end" - start FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId
UNION ALL SELECT 'sync ' || syncType, "end" - start FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
UNION ALL SELECT value, "end" - start FROM CUPTI_ACTIVITY_KIND_OVERHEAD JOIN StringIds ON id = nameId
UNION ALL SELECT coalesce(text, value), "end" - start FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE "end" IS NOT NULL
