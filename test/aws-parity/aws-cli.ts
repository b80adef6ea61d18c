import { execa } from 'execa'

/** An AWS CLI of version 2, which alone prints the credentials that it arrives at. */
export interface AwsCli {
  readonly program: string
  readonly version: readonly [number, number]
  /** Returns the access key that `aws configure export-credentials` prints. */
  findAccessKey(env: Record<string, string>, profile?: string): Promise<string>
}

/** Finds the first one on this machine that can; `undefined` where there is none. */
export async function findAwsCli(): Promise<AwsCli | undefined> {
  for (const program of ['aws', '/usr/bin/aws', '/usr/local/bin/aws']) {
    const { stdout } = await execa(program, ['--version'], { reject: false })
    const [, major, minor] = /^aws-cli\/(\d+)\.(\d+)/.exec(stdout ?? '') ?? []
    // The command is in 2.9, and the versions 1 that are told apart by their number have none.
    if (major === '2' && Number(minor) >= 9) return createAwsCli(program, [2, Number(minor)])
  }
  return undefined
}

function createAwsCli(program: string, version: AwsCli['version']): AwsCli {
  return {
    program,
    version,
    findAccessKey: async (env, profile) => {
      const argv = ['configure', 'export-credentials', ...(profile === undefined ? [] : ['--profile', profile])]
      const { stdout, stderr } = await execa(program, argv, { env, extendEnv: false, reject: false })
      const { AccessKeyId } = JSON.parse(stdout || JSON.stringify({ AccessKeyId: stderr })) as { AccessKeyId: string } // its documented form
      return AccessKeyId
    },
  }
}
