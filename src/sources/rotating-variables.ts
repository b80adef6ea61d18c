/** Variables with secrets that change while the identity stays the same: the access key id already tells two pairs apart. */
export const rotatingVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_CREDENTIAL_EXPIRATION'] as const
