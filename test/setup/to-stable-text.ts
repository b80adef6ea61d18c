/** The texts that differ from one run of a test to the next, with the word that stands for each. */
const changing: readonly (readonly [pattern: RegExp, word: string])[] = [
  // What `temporaryDirectory` makes.
  [/[^\s'"(]*\/gatepass tést \w{6}/g, 'TEMPORARY'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'DATE'],
  // The dates in a signature of AWS.
  [/\b\d{8}(T\d{6}Z\b|(?=\/[a-z0-9-]+\/[a-z]+\/aws4_request\b))/g, 'DATE'],
  [/(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, 'JWT'],
  // An access token as the stand-in provider issues it.
  [/(?<="token":"|\bpassword=)[\w-]{43}(?=["\n]|$)/g, 'TOKEN'],
  [/\bbedrock-api-key-[\w+/=-]+/g, 'BEDROCK-KEY'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\b/g, 'DATE'],
  // A key or a token of the stand-in platform.
  [/(?<=\bsk-vendor-[a-z]+\d\d-)[\w-]{43}/g, 'SECRET'],
  // An id of the platform.
  [/(?<=\b[a-z]{3,8}_)[0-9a-v]{26}\b/g, 'ID'],
  // A digest by SHA-256.
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, 'SHA256'],
  // The name of a token in the cache, of a sign-in, or of its key.
  [/\b[0-9a-f]{40}([0-9a-f]{8})?(?=\.(json|lock|sealed|draft|key)\b)/g, 'KEY'],
  // In the words of this machine's resolver.
  [/\b(ENOTFOUND|EAI_AGAIN)\b/g, 'NO-ADDRESS'],
  [/(?<=\b(127\.0\.0\.1|localhost):)\d+/g, 'PORT'],
  [/\b\d+(\.\d+)?(?= ms\b)/g, 'N'],
  // The path of the cache decides how early, rarely by less than a minute.
  [/\b\d+ (min|s)(?= early on this machine)/g, 'N min'],
  [/(?<=\bclient-ttl here, to )\d+/g, 'N'],
  [/(?<=\b(in|after|lives|at DATE,) )\d+(\.\d+)?(?= s\b)/g, 'N'],
]

/**
 * Returns a text that is the same in every run: its dates, ids, ports of this machine, measured durations and temporary directories are
 * words, and so is each text of `known`, which maps a path or an address to the word for it. The longest goes first, since a path may begin
 * with another.
 */
export function toStableText(text: string, known: Readonly<Record<string, string>> = {}): string {
  const longestFirst = Object.entries(known).sort(([one], [other]) => other.length - one.length)
  const named = longestFirst.reduce((rest, [value, word]) => rest.replaceAll(value, word), text)
  return changing.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), named)
}

/** Returns a value, such as the outcome of a program or an answer, whose texts are all in such words. */
export function toStableValue<T>(value: T, known: Readonly<Record<string, string>> = {}): T {
  if (typeof value === 'string') return toStableText(value, known) as T & string
  if (Array.isArray(value)) return value.map((item) => toStableValue(item, known)) as T & unknown[]
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, toStableValue(member, known)])
  return Object.fromEntries(members)
}

/** Returns whether an object has no class of its own, as a literal and a row of a database have none. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
