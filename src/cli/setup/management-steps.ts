import { posix, win32 } from 'node:path'
import type { OperatingSystem } from '../../config/check/rule.ts'
import { renderInstallCommand } from '../../config/read/read-document-file.ts'
import { suiteName } from '../../suite/installed-programs.ts'
import { version } from '../../version.ts'
import { exportFormats } from '../config/export-formats.ts'
import { locateExport, type ManagementName } from './management.ts'
import { locatePlacement, locatePlaybook } from './place-files.ts'

/** Steps for each tool and each system that it manages. */
export type StepsByTool = Readonly<
  Record<ManagementName, Readonly<Partial<Record<OperatingSystem, (facts: StepFacts) => readonly string[]>>>>
>

/** The facts that determine the steps of a management tool. */
interface StepFacts {
  /** Whether there are files for the machine, and so a script that places them. */
  readonly hasPlacement: boolean
  /** Whether there is a helper, and so a package. */
  readonly hasPackage: boolean
}

/**
 * The steps from the folder to ten machines, and how to check them. The names of menus are from the tools' documentation, because we have
 * no accounts with them.
 */
export const managementSteps: StepsByTool = {
  files: {
    linux: (facts) => [
      ...listPlacing(facts, `As root, run \`sh ${locatePlacement('linux')}\`.`),
      ...listPackaging(facts, 'Install the package.'),
      `Install the document: \`${renderInstallCommand(locateExport('linux', 'linux'))}\`.`,
      `**Look at** \`sh ${locateExport('linux', 'detection-linux')}\`, as root.`,
    ],
    macos: (facts) => [
      ...listPlacing(facts, `As root, run \`sh ${locatePlacement('macos')}\`.`),
      ...listPackaging(facts, 'Install the package: `installer -target / -pkg FILE`.'),
      `Hand out \`${locateExport('macos', 'mobileconfig')}\` with a device management: macOS takes managed settings from nothing else.`,
      `**Look at** \`sh ${locateExport('macos', 'detection-macos')}\`, as root.`,
    ],
    windows: (facts) => [
      ...listInstallation(facts, (line) => `As an administrator, run \`${line}\` in that folder.`),
      `Import the document: \`reg import ${win32.normalize(locateExport('windows', 'reg'))} /reg:64\`.`,
      `**Look at** \`powershell.exe -ExecutionPolicy Bypass -File ${win32.normalize(locateExport('windows', 'detection-windows'))}\`.`,
    ],
  },
  jamf: {
    macos: (facts) => [
      ...listPlacing(facts, `Settings, Scripts: add \`${locatePlacement('macos')}\`.`),
      ...listPackaging(facts, 'Settings, Packages: upload the `.pkg`.'),
      ...listPackaging(
        facts,
        'Computers, Policies: one with that package, and that script with the priority *Before*, once per computer; scope: the static group of the ring.',
      ),
      `When it has run there: Computers, Configuration Profiles, Upload \`${locateExport('macos', 'mobileconfig')}\`, with the same scope.`,
      `Settings, Extension Attributes: add \`${locateExport('macos', 'jamf-attribute')}\` as a script, data type String.`,
      '**Look at** a smart group of computers whose attribute is not `as exported`.',
    ],
  },
  intune: {
    macos: (facts) => [
      ...listPlacing(
        facts,
        `Devices, Scripts and remediations, Platform scripts, Add, macOS: \`${locatePlacement('macos')}\`, *as signed-in user*: No.`,
      ),
      ...listPackaging(
        facts,
        'Apps, All apps, Create, *macOS app (PKG)*: the `.pkg`, required for the group of the ring.',
      ),
      `When these have arrived: Devices, Configuration, Create, macOS, Templates, Custom: \`${locateExport('macos', 'mobileconfig')}\`, *Device channel*.`,
      `Devices, macOS, Custom attributes: \`${locateExport('macos', 'detection-macos')}\`, String.`,
      "**Look at** that attribute's device status: `as exported`.",
    ],
    windows: (facts) => [
      ...(facts.hasPackage
        ? [
            `Put the \`.msi\`${facts.hasPlacement ? ` and \`${locatePlacement('windows')}\`` : ''} into an empty folder, and pack it with Microsoft's Win32 Content Prep Tool: \`IntuneWinAppUtil.exe -c FOLDER -s ${msi} -o OUT\`. Each processor gets an app of its own, because the detection rule has one product code.`,
            `Apps, All apps, Create, *Windows app (Win32)*: that file; install command ${facts.hasPlacement ? `\`${installCommand}\`` : 'as proposed'}, uninstall command as proposed, behavior System, its architecture alone (x64 or ARM64), detection rule MSI. Assign each as required to the group of the ring.`,
          ]
        : []),
      `When it has arrived (Intune keeps no order): post \`${locateExport('windows', 'oma-uri')}\` with Graph Explorer to \`https://graph.microsoft.com/v1.0/deviceManagement/deviceConfigurations\` (DeviceManagementConfiguration.ReadWrite.All). It is then under Devices, Configuration: assign it to the same group.`,
      `Devices, Scripts and remediations, Create: \`${locateExport('windows', 'detection-windows')}\` and \`${locateExport('windows', 'remediation')}\`, *logged-on credentials*: No, *64-bit*: Yes, daily. Remediations need Windows Enterprise E3; without it run \`${exportFormats['detection-windows'].file}\` on each machine.`,
      '**Look at** its Device status: the column *Pre-remediation detection output* says `as exported`. The app’s device install status says who has it.',
    ],
  },
  sccm: {
    windows: (facts) => [
      ...listInstallation(
        facts,
        (line) =>
          `Make an application with a deployment type for each processor: the script installer \`${line}\` in that folder, the product code of its \`.msi\` as detection, and as requirement *Operating System* with Windows of that processor (x64 or ARM64). Deploy it to the collection of the ring.`,
      ),
      `Make a configuration item with a script setting (String): \`${locateExport('windows', 'sccm-discovery')}\` discovers, \`${locateExport('windows', 'remediation')}\` remediates, and the rule is that the value equals \`as exported\`. It sets the document.`,
      'When the application has arrived, deploy a baseline with it to the same collection, and let it remediate.',
      '**Look at** Monitoring, Deployments: the compliance of that baseline.',
    ],
  },
  'group-policy': {
    windows: (facts) => [
      ...listPlacing(
        facts,
        `Computer Configuration, Policies, Windows Settings, Scripts, Startup, PowerShell Scripts: \`${locatePlacement('windows')}\`, in a folder without the \`.msi\`.`,
      ),
      ...listPackaging(
        facts,
        'Software Settings, Software installation: the `.msi` from a share, *Assigned*. It comes with a restart.',
      ),
      `When it has arrived: copy what is in \`${locateExport('windows', 'admx')}\` to \`\\\\DOMAIN\\SYSVOL\\DOMAIN\\Policies\\PolicyDefinitions\`, and enable, under Administrative Templates, the policies that the document sets; each starts with its value.`,
      `**Look at** \`Invoke-Command -ComputerName (Get-Content ring1.txt) -FilePath ${win32.normalize(locateExport('windows', 'detection-windows'))}\`: a line for each machine.`,
    ],
  },
  ansible: {
    linux: () => [
      `Run \`ansible-playbook --inventory HOSTS --limit ring1 --check ${locatePlaybook('linux')}\`, then the same without \`--check\`. It places every file, installs the package, and compares. The package is \`${suiteName}\` from your own repository; set \`gatepass_package\` to the path of a \`.deb\` or \`.rpm\` if you have none.`,
      '**Look at** its task *Compare it again*.',
    ],
    macos: (facts) => [
      ...listPackaging(
        facts,
        `Install the package, and the document \`${locateExport('macos', 'mobileconfig')}\`, with a device management.`,
      ),
      `Run \`ansible-playbook --inventory HOSTS --limit ring1 ${locatePlaybook('macos')}\`: it places the files, and compares.`,
      '**Look at** its task *Compare it again*.',
    ],
  },
}

/** The package for most Windows desktops. */
export const msi = `${suiteName}-${version}-win32-x64.msi`
const installCommand = `powershell.exe -NoProfile -ExecutionPolicy Bypass -File ${posix.basename(locatePlacement('windows'))}`

function listPlacing({ hasPlacement }: StepFacts, step: string): string[] {
  return hasPlacement ? [step] : []
}

/** Returns the step, if there is a package. */
export function listPackaging({ hasPackage }: StepFacts, step: string): string[] {
  return hasPackage ? [step] : []
}

/** The script installs the package next to it, so that no client starts a helper before its settings exist. */
function listInstallation({ hasPlacement, hasPackage }: StepFacts, run: (line: string) => string): string[] {
  if (hasPlacement && hasPackage)
    return [
      `Put the \`.msi\` of each processor beside \`${locatePlacement('windows')}\`, which then installs that of the machine.`,
      run(installCommand),
    ]
  if (hasPackage) return ['Put the `.msi` into a folder.', run(`msiexec /i ${msi} /qn`)]
  return hasPlacement ? [run(installCommand)] : []
}
