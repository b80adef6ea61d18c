/** Whether a text can be the name of a region, which becomes a part of host names. */
export function isRegionName(text: string): boolean {
  return /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)
}
