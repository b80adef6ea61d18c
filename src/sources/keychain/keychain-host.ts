import type { Host } from '../../runtime/host.ts'

/** What of the host the keychains use. */
export type KeychainHost = Pick<Host, 'argv' | 'clock' | 'env' | 'home' | 'platform'>
