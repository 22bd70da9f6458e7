/** Hands a file over to the browser, to be saved. Returns how to let go of it, once it is saved. */
export function download(file: Blob, name: string): () => void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  return () => URL.revokeObjectURL(address);
}
