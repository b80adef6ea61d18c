import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, toBundlePath } from '../../pkg-scripts/tree.ts'
import { type Outcome, runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** A vendor whose names differ from the neutral ones in every setting. */
export const otherSetting = {
  name: 'Example, Inc.',
  envPrefix: 'EX_AI',
  headerPrefix: 'x-example.ai',
  cloudWord: 'Nimbus',
  keyPrefix: 'ek_live.',
  awsService: 'nimbus.models',
  macosPayloadType: 'ai.example.Client',
}

/** All names in force for that vendor, as the commands print them. */
export const otherNames = `\
  name                   Example, Inc.
  envPrefix              EX_AI
  headerPrefix           x-example.ai
  cloudWord              Nimbus
  keyPrefix              ek_live.
  platformEnvPrefix      EX_AI  (derived)
  cloudConfigDirKey      inferenceNimbusConfigDir  (derived)
  cloudCliPathKey        inferenceNimbusCliPath  (derived)
  awsService             nimbus.models
  keyHelperTtlVariable   EX_AI_CODE_API_KEY_HELPER_TTL_MS  (derived)
  macosPayloadType       ai.example.Client
  windowsPolicyKey       SOFTWARE\\Policies\\Example, Inc.  (derived)
  linuxManagedFile       /etc/example-inc-desktop/managed-settings.json  (derived)
  codeSigningIdentifier  com.example-inc.gatepass  (derived)
  publisher              unnamed publisher  (derived)
  licence                Apache-2.0  (derived)
  contextVariable        EX_AI_HELPER_CONTEXT  (derived)
  manualRunVariable      EX_AI_HELPER_MANUAL_RUN  (derived)
  apiKeyVariable         EX_AI_API_KEY  (derived)
  baseUrlVariable        EX_AI_BASE_URL  (derived)
  agentPrefix            EX_AI_CODE  (derived)
  versionHeader          x-example.ai-version  (derived)
  betaHeader             x-example.ai-beta  (derived)
  workspaceHeader        x-example.ai-workspace-id  (derived)
`

/** A machine with a directory of its own for what its administrator sets, and a person's home. */
export interface MachineDesk {
  readonly home: string
  /** The directory that stands for `/etc/gatepass`. */
  readonly machine: string
  readonly vendorFile: string
  run(program: string, argv: readonly string[], env?: Record<string, string>): Promise<Outcome>
}

/** Only root's own file is accepted, so tests of one that is read need root. */
export async function startMachineDesk(setting?: unknown): Promise<MachineDesk> {
  const home = await temporaryDirectory()
  const machine = join(home, 'machine')
  await mkdir(machine, { mode: 0o755 })
  const vendorFile = join(machine, 'vendor.json')
  if (setting !== undefined) await writeFile(vendorFile, JSON.stringify(setting))
  await chmod(machine, 0o755)
  return {
    home,
    machine,
    vendorFile,
    run: (program, argv, env = {}) =>
      runExecutable(process.execPath, {
        argv: ['--require', join(root, 'test/setup/machine-directory.cjs'), toBundlePath(program), ...argv],
        env: { HOME: home, MACHINE_DIRECTORY: machine, ...env },
      }),
  }
}
