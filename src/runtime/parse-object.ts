/**
 * The object that a JSON text holds; `undefined` for anything else. Never throws: the parser's message would repeat the text.
 */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined // not JSON
  }
}
