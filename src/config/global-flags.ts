/** The options that every command takes, as Commander hands them over. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  variant?: string;
  keyFile?: string;
  output?: string;
  json?: boolean;
  jq?: string;
  rawOutput?: boolean;
  rawCsv?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  color?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}
