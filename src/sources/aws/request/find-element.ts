/** The characters that XML has names for. XML 1.0, section 4.6. */
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * The text of the first element of that name in an answer of AWS, whose elements have text or elements, never both;
 * `undefined` where there is none with text.
 */
export function findElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => entities[entity]!)
}
