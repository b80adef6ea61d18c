/** The identity broker of each operating system, which `authFlow` `broker` needs. */
const identityBrokers = {
  linux: 'the identity broker (microsoft-identity-broker, with the Intune portal)',
  macos: 'the Company Portal app with its single sign-on extension',
  windows: 'the Web Account Manager (WAM), a part of Windows',
} as const

/** Describes the requirements of `authFlow` `broker` on one system, or on every system. */
export function describeBrokers(system?: keyof typeof identityBrokers): string {
  const { windows, macos, linux } = identityBrokers
  if (system) return `the operating system's broker, ${identityBrokers[system]}`
  return `the operating system's broker: on Windows ${windows}; on macOS ${macos}; on Linux ${linux}`
}

/** The beginning of a sentence that says what a client would do with the broker. */
export const brokerFlow =
  'the client asks it for a token of the account that the device is signed in with, and no browser opens'
