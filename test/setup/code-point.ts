import fc from 'fast-check'

/** Any code point as a text. The unit `binary` of fast-check is the same, but takes two seconds to list them all at its first use. */
export const codePoint = fc
  .nat({ max: 0x10ffff })
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map(
    (point) => String.fromCodePoint(point),
    // So that texts such as `__proto__` come as well, and failures are made shorter.
    (text) => (typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0)! : -1),
  )
