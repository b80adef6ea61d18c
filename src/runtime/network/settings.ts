import type { Environment } from '../environment.ts'
import { Secret } from '../secret.ts'

/** What decides how a leg of ours reaches the network. Plain data: it is looked at when a connection is about to be made. */
export interface NetworkSettings {
  /** As somebody wrote it, with where; it may hold a password. */
  readonly proxy: { readonly url: Secret; readonly origin: string } | undefined
  /** Hosts that are reached without it, in the form of `NO_PROXY`. */
  readonly noProxy: string | undefined
  /** Files of certificate authorities that are trusted beside the system's, with who names them. */
  readonly authorities: readonly AuthorityFile[]
  /** Whether somebody asked the runtime to believe any certificate. */
  readonly verification: 'on' | 'switched off'
}

export interface AuthorityFile {
  readonly path: string
  readonly origin: string
}

export interface NetworkOptions {
  readonly proxy: { readonly text: string; readonly origin: string } | undefined
  readonly noProxy: string | undefined
  readonly ca: AuthorityFile | undefined
}

/** Settled options, with what Node and the AWS tools read from the environment. */
export function toNetworkSettings({ proxy, noProxy, ca }: NetworkOptions, env: Environment): NetworkSettings {
  const named = ['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
    const path = env[name]
    return path ? [{ path, origin: `variable ${name}` }] : []
  })
  return {
    proxy: proxy && { url: new Secret(proxy.text), origin: proxy.origin },
    noProxy,
    authorities: ca ? [ca, ...named] : named,
    verification: env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'switched off' : 'on',
  }
}
