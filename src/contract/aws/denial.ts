/** The action that AWS denies a caller. */
export interface Denial {
  /** The denied action, such as `bedrock:InvokeModel`. */
  readonly action: string
  /** The kind of policy that denies it explicitly; then no other policy can allow it. */
  readonly deniedBy?: string
  /** A further kind of policy that must allow it, in addition to those of the identity. */
  readonly limitedBy?: string
}

/** The kinds of policy in AWS's messages (AWS documentation, "Troubleshoot access denied error messages"). */
const kinds = [
  'identity-based policy',
  'resource-based policy',
  'service control policy',
  'resource control policy',
  'permissions boundary',
  'session policy',
  'VPC endpoint policy',
]

/** Parses AWS's message about a missing permission; `undefined` for any other text. The rest of the message is ignored. */
export function parseDenial(text: string): Denial | undefined {
  const [, action, details = ''] =
    /\bnot authorized to perform:? ([a-z][a-z0-9-]{1,40}:[A-Za-z]{2,80})\b(.{0,2000})/is.exec(text) ?? []
  if (action === undefined) return undefined
  const deniedBy = findKind(/explicit deny in an? (?<kind>[\w -]+)/, details)
  const limitedBy = findKind(/because no (?<kind>[\w -]+?) allows/, details)
  return {
    action,
    ...(/explicit deny/.test(details) && { deniedBy: deniedBy ?? 'policy' }),
    ...(limitedBy !== undefined && limitedBy !== 'identity-based policy' && { limitedBy }),
  }
}

function findKind(pattern: RegExp, text: string): string | undefined {
  const found = pattern.exec(text)?.groups?.kind ?? ''
  return kinds.find((kind) => found.startsWith(kind))
}
