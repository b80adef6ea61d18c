/** For how long a client keeps a served document. */
export interface ServedDocument {
  readonly document: Readonly<Record<string, unknown>>
  readonly lifeSec: number
}

/** The document that is served where nobody names one: the gateway itself, with no credential. */
export function defaultDocument(url: string): ServedDocument['document'] {
  return { $schemaVersion: 2, inference: { provider: 'gateway', baseUrl: url } }
}

/** As it is served at this moment: `expiresAt` in seconds, counted from now. */
export function renderServed({ document, lifeSec }: ServedDocument, now: number) {
  return { ...document, expiresAt: Math.floor(now / 1000) + lifeSec }
}
