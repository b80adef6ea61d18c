import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { startFront } from '../stand-ins/front/front.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { createAuthority } from '../stand-ins/tls/certificate.ts'

/** The hosts that are led to the stand-in. */
const hosts = ['sts.eu-central-1.amazonaws.com', 'portal.sso.us-west-2.amazonaws.com', 'oidc.us-west-2.amazonaws.com']

/** A way to the stand-in for AWS under AWS's own names, which also an AWS CLI takes that knows no AWS_ENDPOINT_URL. */
export interface AwsByName extends AsyncDisposable {
  /** Variables of a process; `undefined` removes one. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The requests to the proxy, in order. */
  readonly asked: readonly string[]
}

export async function startAwsByName({ aws, home }: Workbench): Promise<AwsByName> {
  const authority = createAuthority('Example Corp Root CA')
  const front = await startFront(aws.url, authority.issue({ names: hosts }))
  const proxy = await startForwardProxy({
    routes: Object.fromEntries(hosts.map((host) => [`${host}:443`, front.port])),
  })
  const AWS_CA_BUNDLE = join(home, 'corp.pem')
  await writeFile(AWS_CA_BUNDLE, authority.cert)
  const removed = Object.keys(aws.environment).filter((name) => name.startsWith('AWS_ENDPOINT_URL'))
  return {
    environment: {
      ...Object.fromEntries(removed.map((name) => [name, undefined])),
      AWS_CA_BUNDLE,
      // The AWS CLI 2.9 appends a path to it without a slash of its own.
      AWS_EC2_METADATA_SERVICE_ENDPOINT: `${aws.url}/`,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    },
    asked: proxy.asked,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await front[Symbol.asyncDispose]()
    },
  }
}
