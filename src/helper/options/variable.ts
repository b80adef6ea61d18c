/** The variable of an option: `client-ttl` → `GATEPASS_CLIENT_TTL`. */
export function toVariable(option: string): string {
  return `GATEPASS_${option.toUpperCase().replaceAll('-', '_')}`
}
