/** Cloud settings of a document's `awsEnv`. */
export interface AwsEnv {
  readonly profile?: string | undefined
  /** Directory with the files `config` and `credentials`. */
  readonly awsDir?: string | undefined
  /** Never passed to a helper. Specification. */
  readonly awsCliPath?: string | undefined
}

/**
 * What the client adds to a helper's environment for `awsEnv`. The specification names the purpose, the AWS tools name
 * the variables; `separator` is the path separator of the system that the helper runs on.
 */
export function toAwsVariables(awsEnv: AwsEnv | undefined, separator: '/' | '\\'): Record<string, string> {
  const directory = awsEnv?.awsDir?.replace(/[/\\]+$/, '')
  return {
    ...(awsEnv?.profile !== undefined && { AWS_PROFILE: awsEnv.profile }),
    ...(directory !== undefined && {
      AWS_CONFIG_FILE: `${directory}${separator}config`,
      AWS_SHARED_CREDENTIALS_FILE: `${directory}${separator}credentials`,
    }),
  }
}
