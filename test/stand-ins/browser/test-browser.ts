/** A real browser without a window, as far as the tests of a sign-in use it. */
export interface TestBrowser {
  readonly name: string
  openTab(address: string): Promise<Tab>
  close(): Promise<void>
}

/** One tab of it. */
export interface Tab {
  /** Presses the button with this id, and waits for the page to which it leads. */
  press(id: string): Promise<void>
  /** The same without waiting. */
  pressAndLeave(id: string): Promise<void>
  goBack(): Promise<void>
  goForward(): Promise<void>
  /** The text that a person reads. */
  read(): Promise<string>
  address(): string
  /** Runs a script in the page. */
  evaluate(script: string): Promise<unknown>
  photograph(path: string): Promise<void>
  close(): Promise<void>
}
