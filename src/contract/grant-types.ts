/** The grant types that are URIs: RFC 8693, section 2.1; RFC 7523, section 2.1; RFC 8628, section 3.4. */
export const grantTypes = {
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  deviceCode: 'urn:ietf:params:oauth:grant-type:device_code',
} as const
