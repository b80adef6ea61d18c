import type { MsiCodes } from './msi-codes.ts'
import type { WindowsPackage } from './windows-package.ts'

/** Returns a package's identity, its entry in the list of installed programs, and the defaults of an installation. */
export function createProperties(from: WindowsPackage, { productCode, upgradeCode }: MsiCodes): Record<string, string> {
  return {
    ProductName: nameProduct(from),
    ProductVersion: from.version,
    ProductLanguage: '1033',
    ProductCode: `{${productCode}}`,
    UpgradeCode: `{${upgradeCode}}`,
    Manufacturer: from.publisher,
    ARPCOMMENTS: from.summary,
    ARPCONTACT: from.contact,
    ARPHELPLINK: from.helpUrl,
    ARPNOMODIFY: '1',
    // In kilobytes, counted once, because further names are links.
    ARPSIZE: String(Math.ceil((from.executable.length + from.notices.length) / 1024)),
    // `1` installs for every user.
    ALLUSERS: '1',
    // Files of the same version are replaced too, because a build with a vendor's other names has the same version.
    REINSTALLMODE: 'amus',
    // A client that waits for a helper is not closed, and the user is not logged off: the status is 3010.
    MSIRESTARTMANAGERCONTROL: 'Disable',
    REBOOT: 'ReallySuppress',
    // These properties reach the part that runs as the system, even if a user started it.
    SecureCustomProperties: 'FORMERVERSION;INSTALLDIR;NEWERVERSION',
  }
}

/** Returns the name in the list of installed programs: `Gatepass helpers`. */
export function nameProduct({ name }: Pick<WindowsPackage, 'name'>): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
}
