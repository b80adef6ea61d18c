/** A real browser without a window, as far as the tests of a sign-in use it. It accepts every certificate. */
export interface TestBrowser {
  readonly name: string
  openTab(address: string): Promise<Tab>
  close(): Promise<void>
}

/** One tab of it. */
export interface Tab {
  /** Enters a text into the field with this id. */
  type(id: string, text: string): Promise<void>
  /** Presses the button with this id, and waits for the page to which it leads. */
  press(id: string): Promise<void>
  /** The same without waiting. */
  pressAndLeave(id: string): Promise<void>
  goBack(): Promise<void>
  goForward(): Promise<void>
  reload(): Promise<void>
  /** Waits until the address begins so. */
  untilAddress(beginning: string): Promise<void>
  /** The text that a person reads. */
  read(): Promise<string>
  address(): string
  /** Runs a script in the page. */
  evaluate(script: string): Promise<unknown>
  close(): Promise<void>
}
