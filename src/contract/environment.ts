// Holds the cloud settings of a document, and the variables of a helper that follow from them.

/** Cloud settings of a document's `awsEnv`. */
export interface AwsEnv {
  readonly profile?: string | undefined
  /** Directory with the files `config` and `credentials`. */
  readonly awsDir?: string | undefined
  /** Never passed to a helper (specification). */
  readonly awsCliPath?: string | undefined
}

/**
 * Returns the variables that the client adds to a helper's environment for `awsEnv`. The specification names their purpose, the AWS tools
 * their names.
 * @param platform The system on which the helper runs.
 */
export function toAwsVariables(awsEnv: AwsEnv | undefined, platform: NodeJS.Platform): Record<string, string> {
  const separator = platform === 'win32' ? '\\' : '/'
  const directory = awsEnv?.awsDir?.replace(/[/\\]+$/, '')
  return {
    ...(awsEnv?.profile !== undefined && { AWS_PROFILE: awsEnv.profile }),
    ...(directory !== undefined && {
      AWS_CONFIG_FILE: `${directory}${separator}config`,
      AWS_SHARED_CREDENTIALS_FILE: `${directory}${separator}credentials`,
    }),
  }
}
