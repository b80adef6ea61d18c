/** A process as other processes see it. */
export interface ProcessEntry {
  readonly pid: number
  /** The same for a program and its forks, another one for every program started; absent where the system hides it. */
  readonly image?: string
  /** The process group, through which it can be ended. */
  readonly group: number
  readonly args: readonly string[]
  /** Lines `NAME=value`, where the system shows them to the process's user. */
  readonly env: readonly string[]
}

/** The processes of this system. */
export interface ProcessTable {
  /** How long to wait between two polls, in milliseconds. */
  readonly pauseMs: number
  /** A process and its descendants, without those that end meanwhile. */
  tree(root: number): Promise<ProcessEntry[]>
  /** Process groups with a member whose environment holds `mark`. */
  groupsWith(mark: string): Promise<number[]>
  /** Addresses beyond loopback and link-local to which a process has TCP connections. */
  remotes(pid: number): readonly string[]
}
