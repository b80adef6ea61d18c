// Folder: the steps of the smoke test, and their list.

import { checkCache, checkKill, checkMint, checkParallelCalls, checkVersions } from './check-calls.ts'
import { checkGateway } from './check-gateway.ts'
import { checkInstall, checkUninstall, checkUpgrade } from './check-installation.ts'
import { checkKeychain, checkKeychainUpgrade } from './check-keychain.ts'
import { checkCmd, checkPowerShell } from './check-shells.ts'
import type { SmokeStep } from './step.ts'

/** All steps in order. */
export const steps: readonly SmokeStep[] = [
  { name: 'install', run: checkInstall, isGround: true },
  { name: 'version', run: checkVersions, isGround: true },
  { name: 'mint', run: checkMint },
  { name: 'cached', run: checkCache },
  { name: 'parallel', run: checkParallelCalls },
  { name: 'kill', run: checkKill },
  { name: 'gateway', run: checkGateway },
  { name: 'cmd', run: checkCmd },
  { name: 'powershell', run: checkPowerShell },
  { name: 'keychain', run: checkKeychain },
  { name: 'upgrade', run: checkUpgrade },
  { name: 'keychain-upgrade', run: checkKeychainUpgrade },
  { name: 'uninstall', run: checkUninstall },
]
