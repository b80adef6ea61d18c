/** `CRED_MAX_CREDENTIAL_BLOB_SIZE` of `wincred.h`. */
export const longestSecretBytes = 2560
