// Makes a helper's `signIn` from a flow; it runs nothing itself.

import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Options } from '../../helper/options/option-table.ts'
import type { SignIn } from '../../helper/sign-in.ts'
import type { Host } from '../../runtime/host.ts'
import type { SignInFlow } from './flow.ts'
import type { signInOptions } from './sign-in-options.ts'

/** Creates the result of a helper's `signIn` from a flow; `undefined` if the option `sign-in` is `off`. */
export function createSignIn(
  flow: SignInFlow,
  { host, call, options }: { host: Host; call: NetworkCall; options: Options<typeof signInOptions> },
): SignIn | undefined {
  const { 'sign-in': way, browser } = options
  if (way === 'off') return undefined
  const parts = { host: browser === undefined ? host : withBrowser(host, browser), call, way }
  // Loaded on use, because a silent run needs neither.
  return {
    isDone: () => flow.isSignedIn(),
    complete: async () => (await import('./wait-for-sign-in.ts')).waitForSignIn(flow, parts),
    perform: async () => (await import('./run-sign-in.ts')).runSignIn(flow, parts),
  }
}

function withBrowser(host: Host, browser: string): Host {
  return { ...host, env: { ...host.env, BROWSER: browser } }
}
