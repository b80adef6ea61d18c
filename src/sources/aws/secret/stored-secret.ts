/** A secret or a parameter, as the options name it. */
export interface StoredSecret {
  readonly api: 'secretsmanager' | 'ssm'
  /** Name or ARN, of a parameter with its selector. */
  readonly id: string
  /** The region that an ARN names. */
  readonly region: string | undefined
  readonly versionStage: string | undefined
  readonly versionId: string | undefined
}

/** A secret in words, such as `the secret "ai/key"`. */
export function describeSecret({ api, id }: Pick<StoredSecret, 'api' | 'id'>): string {
  return `the ${api === 'ssm' ? 'parameter' : 'secret'} "${id}"`
}
