import type { VendorKey, VendorSetting } from './setting.ts'

/** A client whose public names have been looked up. Only `gatepass vendor` and what begins a rollout read these rows. */
export interface KnownClient {
  /** The name that `--client` takes. */
  readonly name: string
  /** The name of the client, as people write it. */
  readonly title: string
  readonly setting: VendorSetting
  readonly releases: ReleaseNumbering
  /** The names of the installed client in each system; on macOS it is `macosPayloadType`. */
  readonly installed: InstalledNames
  readonly sources: readonly NamesRead[]
}

/** Every known client. A new client is a row; a name without a source is omitted, so that it is shown as derived. */
export const knownClients: readonly KnownClient[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    setting: {
      name: 'Anthropic',
      envPrefix: 'CLAUDE',
      headerPrefix: 'anthropic',
      cloudWord: 'Bedrock',
      keyPrefix: 'sk-ant-',
      platformEnvPrefix: 'ANTHROPIC',
      cloudConfigDirKey: 'inferenceBedrockAwsDir',
      cloudCliPathKey: 'inferenceBedrockAwsCliPath',
      awsService: 'aws-external-anthropic',
      keyHelperTtlVariable: 'CLAUDE_CODE_API_KEY_HELPER_TTL_MS',
      macosPayloadType: 'com.anthropic.claudefordesktop',
      windowsPolicyKey: 'SOFTWARE\\Policies\\Claude',
      linuxManagedFile: '/etc/claude-desktop/managed-settings.json',
    },
    releases: { pattern: /^\d+\.\d+\.\d+/, expected: 'three numbers with dots between, such as 1.13576.0' },
    installed: {
      windowsPackage: 'Claude_pzs8sxrjxfjjc',
      windowsUninstallKey: 'AnthropicClaude',
      linuxPackage: 'claude-desktop',
    },
    sources: [
      {
        names: ['envPrefix'],
        url: 'https://claude.com/docs/third-party/claude-desktop/credential-helper',
        read: '2026-11-24',
      },
      {
        names: [
          'macosPayloadType',
          'windowsPolicyKey',
          'linuxManagedFile',
          'cloudWord',
          'cloudConfigDirKey',
          'cloudCliPathKey',
        ],
        url: 'https://claude.com/docs/third-party/claude-desktop/configuration',
        read: '2026-11-24',
      },
      {
        names: ['releases'],
        url: 'https://claude.com/docs/third-party/claude-desktop/configuration-changelog',
        read: '2026-11-24',
      },
      {
        names: ['name', 'headerPrefix', 'keyPrefix', 'platformEnvPrefix', 'awsService'],
        url: 'https://github.com/anthropics/anthropic-sdk-ruby',
        read: '2026-11-24',
      },
      {
        names: ['keyHelperTtlVariable'],
        url: 'https://code.claude.com/docs/en/settings',
        read: '2026-11-24',
      },
      {
        names: ['windowsPackage', 'windowsUninstallKey'],
        url: 'https://github.com/anthropics/claude-code/issues/58957',
        read: '2026-11-24',
      },
      {
        names: ['linuxPackage'],
        url: 'https://github.com/aaddrick/claude-desktop-debian',
        read: '2026-11-24',
      },
    ],
  },
]

/** Finds the client of that name or title, in any case; `undefined` for an unknown name. */
export function findKnownClient(name: string): KnownClient | undefined {
  return knownClients.find((client) => [client.name, client.title.toLowerCase()].includes(name.toLowerCase()))
}

interface ReleaseNumbering {
  /** A release at the beginning of a version, because package managers append a number. */
  readonly pattern: RegExp
  /** The end of a message that begins with "expected". */
  readonly expected: string
}

interface InstalledNames {
  /** The family of its package (MSIX): name, underscore and publisher. */
  readonly windowsPackage: string
  /** Its key below `Uninstall`, for the installer without a package. */
  readonly windowsUninstallKey: string
  /** The name of its Debian or RPM package. */
  readonly linuxPackage: string
}

/** A page on which names were read. */
interface NamesRead {
  readonly names: readonly (VendorKey | 'releases' | keyof InstalledNames)[]
  readonly url: string
  /** The day of reading, in ISO 8601. */
  readonly read: string
}
