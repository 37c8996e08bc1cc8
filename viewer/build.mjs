// One page with everything in it: src/ and its libraries become dist/page.html.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const result = await build({
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
    loader: { ".css": "text" },
});
const code = result.outputFiles[0].text.replaceAll("</script", "<\\/script").trimEnd();
const page = readFileSync("src/page.html", "utf8").replace("@BUNDLE@", () => code);
if (page !== readFileSync("dist/page.html", "utf8")) {
    writeFileSync("dist/page.html", page); // what is the same stays as old as it is
}
