import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'

interface SigningCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Returns the AWS SDK's own client, without its retries. */
export function stsOf(credentials: SigningCredentials): STSClient {
  return new STSClient({ credentials, maxAttempts: 1 })
}

export async function fetchCaller(credentials: SigningCredentials) {
  const { $metadata: _, ...caller } = await stsOf(credentials).send(new GetCallerIdentityCommand())
  return caller
}

/** Returns the part of a refusal that a program sees; `undefined` for a request that was answered. */
export function refusalOf(request: Promise<unknown>) {
  return request.then(
    () => undefined,
    (error: { name: string; message: string; $metadata?: { httpStatusCode?: number } }) => ({
      name: error.name,
      status: error.$metadata?.httpStatusCode,
      message: error.message,
    }),
  )
}
