/** Another system in a directory of this one, made of Debian packages. */
export interface Guest {
  readonly title: string
  /** The release of Debian, and its name for the processor. */
  readonly suite: string
  readonly architecture: string
  readonly packages: readonly string[]
  /** Packages whose own script completes their installation; the others only need to be unpacked. */
  readonly configured?: readonly string[]
  /** The platform and processor of the tested programs. */
  readonly target: string
  /** The emulator with which this machine's Linux runs programs for the guest's processor; absent if the processor is the same. */
  readonly emulator?: Emulator
  /** The program that starts programs for Windows. */
  readonly wine?: string
}

/** A program of this system that runs programs for another processor, and the bytes by which the kernel recognizes them. */
interface Emulator {
  readonly program: string
  /** The first bytes of an executable, and the mask of their bits, in the form of binfmt_misc. */
  readonly magic: string
  readonly mask: string
}

/** The packages that install.sh and our executables need. */
const base = ['base-files', 'coreutils', 'dash', 'findutils', 'libatomic1', 'libc6', 'libstdc++6']

/** The guests by their names for `--on`. */
export const guests: Readonly<Record<string, Guest>> = {
  'debian-11': {
    title: 'the libraries of Debian 11',
    suite: 'bullseye',
    architecture: 'amd64',
    // These and apt, with the programs that apt and dpkg run, for the test of repositories.
    packages: [...base, 'apt', 'diffutils', 'dpkg', 'grep', 'libc-bin', 'mawk', 'sed', 'tar'],
    target: 'linux-x64',
  },
  arm64: {
    title: 'arm64, emulated by QEMU',
    suite: 'bookworm',
    architecture: 'arm64',
    packages: base,
    target: 'linux-arm64',
    emulator: {
      program: '/usr/bin/qemu-aarch64-static',
      // 64-bit, little-endian ELF, of any system, executable or shared, for AArch64.
      magic: String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
      mask: String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
    },
  },
  windows: {
    title: 'Windows, as Wine 10 is one',
    suite: 'trixie',
    architecture: 'amd64',
    // libc-bin includes the locale without which Wine does not find file names beyond ASCII.
    packages: ['base-files', 'coreutils', 'dash', 'libc-bin', 'wine64'],
    configured: ['libwine'],
    target: 'win32-x64',
    wine: '/usr/lib/wine/wine64',
  },
}
