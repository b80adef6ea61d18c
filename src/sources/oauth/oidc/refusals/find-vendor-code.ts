/** A code of Microsoft's in a description. */
export interface VendorCode {
  /** The number in `AADSTS…`. */
  readonly entra?: string
  /** The whole of it, as messages repeat it. */
  readonly shown?: string
}

/** The code with which Entra ID and AD FS begin what they say. The pattern lets nothing else through. */
export function findVendorCode(description = ''): VendorCode {
  const [, entra] = /\bAADSTS(\d{5,8})\b/.exec(description) ?? []
  if (entra !== undefined) return { entra, shown: `AADSTS${entra}` }
  const [shown] = /\bMSIS\d{4,5}\b/.exec(description) ?? []
  return shown === undefined ? {} : { shown }
}
