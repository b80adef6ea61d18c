/** Receives what a connection waits for, such as "looking up sts.eu-central-1.amazonaws.com". */
export type ReportStage = (stage: string) => void
