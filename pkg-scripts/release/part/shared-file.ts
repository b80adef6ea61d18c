/** A manual page, or what completes the words after a command in one shell. */
export interface SharedFile {
  readonly kind: 'manual' | 'bash' | 'zsh' | 'fish'
  /** The file's name, which is the command's as that kind spells it. */
  readonly name: string
  readonly content: string
}

/** The folder of each kind of file, below a prefix such as `/usr`. */
export const sharedFolders: Readonly<Record<SharedFile['kind'], string>> = {
  manual: 'share/man/man1',
  bash: 'share/bash-completion/completions',
  zsh: 'share/zsh/site-functions',
  fish: 'share/fish/vendor_completions.d',
}
