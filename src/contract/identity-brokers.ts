/** The identity broker of each operating system, which `authFlow` `broker` needs. */
export const identityBrokers = {
  linux: 'the identity broker (microsoft-identity-broker, with the Intune portal)',
  macos: 'the Company Portal app with its single sign-on extension',
  windows: 'the Web Account Manager (WAM), a part of Windows',
} as const

/** What `authFlow` `broker` needs on a system, or on each of them. */
export function describeBrokers(system?: keyof typeof identityBrokers): string {
  const { windows, macos, linux } = identityBrokers
  if (system) return `the operating system's broker, ${identityBrokers[system]}`
  return `the operating system's broker: on Windows ${windows}; on macOS ${macos}; on Linux ${linux}`
}

/** What a client would do with the broker, as a sentence without its end. */
export const brokerFlow =
  'the client asks it for a token of the account that the device is signed in with, and no browser opens'
