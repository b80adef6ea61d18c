/** Parts of the API that differ in who may use them and in the headers they require. */
export type Area = 'messages' | 'sessions' | 'administration'

interface AreaRules {
  /** Whether `vendor-version` must be there; if it is, its value is checked everywhere. */
  readonly version: 'required' | 'optional'
  readonly beta: 'sessions' | 'none'
}

/** Table "Common request headers", with the list of required ones under "Create message". */
export const areaRules: Readonly<Record<Area, AreaRules>> = {
  messages: { version: 'required', beta: 'none' },
  sessions: { version: 'optional', beta: 'sessions' },
  administration: { version: 'optional', beta: 'none' },
}
