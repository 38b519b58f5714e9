/// This program's version.
package let cairnVersion = "0.1.0"
