/** Parts of the API with different permissions and required headers. */
export type Area = 'messages' | 'sessions' | 'administration'

interface AreaRules {
  /** Whether the header of the version must be sent; its value is checked wherever it is sent. */
  readonly version: 'required' | 'optional'
  readonly beta: 'sessions' | 'none'
  /** The longest body, in bytes. Our decision; the specification shows no bound. */
  readonly largestBody: number
}

const mib = 1024 * 1024

/** From table "Common request headers" and from the required headers of "Create message". */
export const areaRules: Readonly<Record<Area, AreaRules>> = {
  messages: { version: 'required', beta: 'none', largestBody: 32 * mib },
  sessions: { version: 'optional', beta: 'sessions', largestBody: mib },
  administration: { version: 'optional', beta: 'none', largestBody: mib },
}
