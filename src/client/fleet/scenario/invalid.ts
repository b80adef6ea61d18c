/** Why a value cannot be used, in words for whoever wrote it. */
export interface Invalid {
  readonly problem: string
}

/** Takes the place of a value that cannot be used. */
export function rejectValue(problem: string): Invalid {
  return { problem }
}

export function isInvalid(value: unknown): value is Invalid {
  return typeof value === 'object' && value !== null && 'problem' in value
}
