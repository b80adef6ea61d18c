/** A configuration document to serve, and for how long a client keeps it, in seconds. */
export interface ServedDocument {
  readonly document: Readonly<Record<string, unknown>>
  readonly lifeSec: number
}

/** The document that is served where none is named: this gateway, without a credential. */
export function createDefaultDocument(url: string): ServedDocument['document'] {
  return { $schemaVersion: 2, inference: { provider: 'gateway', baseUrl: url } }
}

/** The document with the `expiresAt` of this moment, in epoch seconds. */
export function renderServed({ document, lifeSec }: ServedDocument, now: number) {
  return { ...document, expiresAt: Math.floor(now / 1000) + lifeSec }
}
